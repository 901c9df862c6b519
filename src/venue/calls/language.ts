import type { Security } from '../../model/security.ts';

/** Languages in which interface A tells names. */
export type Language = 'en' | 'zh-CN' | 'zh-HK';

/**
 * The language of an `accept-language` text that is wanted most and that we know, the first of several with equal weight; English
 * when there is none.
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

/** 1 where the header is absent or unreadable. */
function weightOf(parameters: readonly string[]): number {
  const [weight] = parameters.flatMap((text) => WEIGHT.exec(text)?.[1] ?? []);
  return weight === undefined ? 1 : Number(weight);
}

/** The security's name in a language. */
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
