import * as z from 'zod';
import { isPlain, templateCharactersMax } from '../../../adapters/templates/limits.ts';
import { nestingMax, walkTexts } from '../../../core/json/json-texts.ts';
import { secretKeysInTemplate, secretNameProblem } from '../../../core/variables/secret-references.ts';

/** A text with `{{ references }}`, rendered when the step runs. Its syntax is checked with the flow. */
export const Template = z
  .string()
  .max(templateCharactersMax)
  .superRefine((text, context) => {
    const problem = findProblem(text);
    if (problem) context.addIssue({ code: 'custom', params: { code: 'INVALID_TEMPLATE' }, message: problem });
  });

/** Any JSON with `{{ references }}` in its texts. */
export const TemplatedJson = z.unknown().superRefine((value, context) => {
  for (const { text, path, depth } of walkTexts(value)) {
    const message = depth > nestingMax ? `Nested more than ${nestingMax} levels deep` : findProblem(text);
    if (!message) continue;
    context.addIssue({ code: 'custom', params: { code: 'INVALID_TEMPLATE' }, path, message });
    return;
  }
});

function findProblem(text: string): string | undefined {
  if (isPlain(text)) return undefined;
  if (text.length > templateCharactersMax)
    return `A template has at most ${templateCharactersMax} characters`;
  return secretNameProblem(secretKeysInTemplate(text));
}

export const isTemplated = (value: unknown): boolean =>
  [...walkTexts(value)].some(({ text }) => !isPlain(text));
