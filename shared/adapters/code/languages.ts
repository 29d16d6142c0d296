export const scriptLanguages = ['javascript', 'typescript'] as const;
export type ScriptLanguage = (typeof scriptLanguages)[number];
