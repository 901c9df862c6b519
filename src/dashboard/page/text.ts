import { signal } from '@preact/signals';
import type { Consequence } from '../commands.ts';
import { english } from './words-en.ts';
import { mainland } from './words-zh-cn.ts';
import { hongKong } from './words-zh-hk.ts';

/** Keys of the page's own texts; texts of a journal are shown as they were written. */
export type WordKey = keyof typeof english;
/** Every text of the page in one language; `{0}` is replaced by the first value. */
export type Words = Readonly<Record<WordKey, string>>;

export const LANGUAGES = { en: 'English', 'zh-CN': '简体中文', 'zh-HK': '繁體中文' } as const;
export type Language = keyof typeof LANGUAGES;

const WORDS: Readonly<Record<Language, Words>> = { en: english, 'zh-CN': mainland, 'zh-HK': hongKong };
const KEY = 'sluice-language';

export const language = signal<Language>(chosen());

/** Returns a text in the reader's language with its values inserted. */
export function t(key: WordKey, ...values: readonly (string | number)[]): string {
  return WORDS[language.value][key].replace(/\{(\d)\}/g, (_place, index) =>
    String(values[Number(index)] ?? ''),
  );
}

export function consequenceText({ key, values }: Consequence): string {
  return t(`c-${key}`, ...values);
}

export function setLanguage(next: Language): void {
  localStorage.setItem(KEY, next);
  language.value = next;
  document.documentElement.lang = next;
}

function chosen(): Language {
  const wanted = [localStorage.getItem(KEY) ?? '', ...navigator.languages];
  for (const each of wanted) {
    if (Object.hasOwn(LANGUAGES, each)) return each as Language;
    if (/^zh-(HK|TW|MO|Hant)/i.test(each)) return 'zh-HK';
    if (/^zh/i.test(each)) return 'zh-CN';
    if (/^en/i.test(each)) return 'en';
  }
  return 'en';
}
