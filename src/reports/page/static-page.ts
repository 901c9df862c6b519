import { html, type Markup, verbatim } from './markup.ts';
import { PAGE_STYLE } from './style.ts';

const STATIC_STYLE = `
.pairs td { white-space: normal; overflow-wrap: normal; }
table + .pairs, .scroll + .pairs, .lines + .pairs { margin-top: 16px; }
.wide { min-width: 800px; }
`;

/** A table of names and values that wraps on a narrow screen. */
export function pairsTable(pairs: readonly (readonly [string, string])[]): Markup {
  const rows = pairs.map(([name, value]) => html`<tr><td>${name}</td><td>${value}</td></tr>`);
  return html`<table class="pairs"><tbody>${rows}</tbody></table>`;
}

/**
 * One self-contained HTML file without scripts: it works without a network, in light and dark, and its policy forbids
 * fetching.
 */
export function staticPage(title: string, body: Markup, style = ''): string {
  const policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${verbatim(PAGE_STYLE)}${verbatim(STATIC_STYLE)}${verbatim(style)}</style></head>
<body><main>
${body}
</main></body></html>
`.html;
}
