import { enManage } from './en_manage.ts';
import { esManage } from './es_manage.ts';
import type { Language } from './words.ts';

export type ManageWords = typeof enManage;

/** Texts of the pages under Settings that change something. They are loaded with them. */
export const MANAGE_WORDS: Readonly<Record<Language, ManageWords>> = { en: enManage, es: esManage };
