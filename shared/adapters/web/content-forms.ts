/** The forms of a page or a file that a step can request. Their conversions are in `content.ts`, which needs the sandbox. */
export const contentForms = ['text', 'html', 'json', 'xml', 'markdown'] as const;
export type ContentForm = (typeof contentForms)[number];
