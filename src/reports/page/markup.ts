/** Text that is already HTML; other text is escaped when it is inserted. */
export interface Markup {
  readonly html: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Builds HTML from a template: values are escaped, markup and lists of markup are inserted unchanged. */
export function html(parts: TemplateStringsArray, ...values: readonly Slot[]): Markup {
  const text = parts.map((part, index) => (index === 0 ? part : `${slotText(values[index - 1])}${part}`));
  return { html: text.join('') };
}

/** A value in a template. */
export type Slot = string | number | Markup | readonly Markup[] | undefined;

/** Inserts trusted text unescaped: scripts and style sheets of the package. */
export function verbatim(text: string): Markup {
  return { html: text };
}

/** Data for a script element, escaped so that no value can end the element or start a comment. */
export function scriptData(value: unknown): Markup {
  return { html: JSON.stringify(value).replaceAll('<', '\\u003c') };
}

function slotText(slot: Slot): string {
  if (slot === undefined) return '';
  if (typeof slot === 'number') return String(slot);
  if (typeof slot === 'string') return slot.replace(/[&<>"']/g, (char) => ESCAPES[char] ?? '');
  return 'html' in slot ? slot.html : slot.map(({ html: inner }) => inner).join('');
}
