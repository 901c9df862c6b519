import type { Security } from '../../model/security.ts';

export type Language = 'en' | 'zh-CN' | 'zh-HK';

/**
 * Returns the known language with the greatest weight in an `accept-language` header, the first one at equal weight;
 * English if there is none.
 * @see RFC 9110, section 12.5.4
 */
export function languageOf(acceptLanguage: string | undefined): Language {
  let best: { readonly language: Language; readonly weight: number } | undefined;
  for (const part of (acceptLanguage ?? '').split(',')) {
    const [tag = '', ...parameters] = part.split(';').map((text) => text.trim().toLowerCase());
    const language = knownLanguage(tag);
    const weight = weightOf(parameters);
    if (language !== undefined && weight > (best?.weight ?? 0)) best = { language, weight };
  }
  return best?.language ?? 'en';
}

function knownLanguage(tag: string): Language | undefined {
  if (tag === 'zh-cn' || tag === 'zh-sg' || tag.startsWith('zh-hans') || tag === 'zh') return 'zh-CN';
  if (tag === 'zh-hk' || tag === 'zh-tw' || tag === 'zh-mo' || tag.startsWith('zh-hant')) return 'zh-HK';
  return tag === 'en' || tag.startsWith('en-') ? 'en' : undefined;
}

const WEIGHT = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** Returns 1 for a missing or unreadable weight. */
function weightOf(parameters: readonly string[]): number {
  const [weight] = parameters.flatMap((text) => WEIGHT.exec(text)?.[1] ?? []);
  return weight === undefined ? 1 : Number(weight);
}

export function nameIn(language: Language, security: Security): string {
  switch (language) {
    case 'en':
      return security.names.en;
    case 'zh-CN':
      return security.names.zhCn;
    case 'zh-HK':
      return security.names.zhHk;
  }
}
