import type { Security } from '../model/security.ts';

/** Languages in which interface A tells names. */
export type Language = 'en' | 'zh-CN' | 'zh-HK';

/** The first language of an `accept-language` text that we know; English when there is none. */
export function languageOf(acceptLanguage: string | undefined): Language {
  for (const part of (acceptLanguage ?? '').split(',')) {
    const tag = part.split(';')[0]?.trim().toLowerCase() ?? '';
    if (tag === 'zh-cn' || tag === 'zh-hans') return 'zh-CN';
    if (tag === 'zh-hk' || tag === 'zh-tw' || tag === 'zh-hant') return 'zh-HK';
    if (tag === 'en' || tag.startsWith('en-')) return 'en';
  }
  return 'en';
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
