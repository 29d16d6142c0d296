import * as z from 'zod';
import { isPlain, templateCharactersMax } from '../../../adapters/templates/limits.ts';
import { iterateTexts, nestingMax } from '../../../core/json/json-texts.ts';
import { secretKeysInTemplate, secretNameProblem } from '../../../core/secret-references.ts';

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
  for (const { text, path, depth } of iterateTexts(value)) {
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
  [...iterateTexts(value)].some(({ text }) => !isPlain(text));

const scriptCharactersMax = 100_000;

/** A script. Its syntax is checked with the flow. */
export const Script = z.string().min(1).max(scriptCharactersMax);

/** A JavaScript expression over the variables. Its syntax is checked with the flow. */
export const Expression = z
  .string()
  .max(scriptCharactersMax)
  .superRefine((code, context) => {
    if (code.trim() !== '') return;
    const message = 'Expected an expression';
    context.addIssue({ code: 'custom', params: { code: 'INVALID_SCRIPT' }, message });
  });
