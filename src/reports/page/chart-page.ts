import { createHash } from 'node:crypto';
import { type DrawnData, drawingScript } from './drawing.ts';
import { chartLibraries } from './libraries.ts';
import { html, type Markup, scriptData, verbatim } from './markup.ts';
import { PAGE_STYLE } from './style.ts';

/**
 * One self-contained HTML file with charts: it works without a network, in light and dark, and its policy forbids
 * fetching. All text is escaped.
 */
export function chartPage(title: string, body: Markup, data: DrawnData): string {
  const libraries = chartLibraries();
  const scripts = [libraries.script, drawingScript()].map((text) =>
    text.replaceAll('</script', '<\\/script'),
  );
  const style = `${libraries.style}\n${PAGE_STYLE}`;
  const policy = [
    "default-src 'none'",
    `script-src ${scripts.map(digest).join(' ')}`,
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><style>${verbatim(style)}</style></head>
<body><main>
${body}
<footer>Price charts by TradingView Lightweight Charts (Apache-2.0), lines by uPlot (MIT).</footer>
</main>
<script type="application/json" id="run">${scriptData(data)}</script>
${scripts.map((text) => html`<script>${verbatim(text)}</script>`)}
</body></html>
`.html;
}

function digest(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}
