import * as z from 'zod';
import { invalidAt } from '../../core/errors/errors.ts';
import { wellFormed, wellFormedOnly } from '../../core/name.ts';
import { type RunLabels, toRunLabels } from './run-origin.ts';

const tagsMax = 10;
const tag = /^[A-Za-z0-9_.:-]{1,64}$/;
const tagRule = 'Expected 1 to 64 of A-Z, a-z, 0-9, _ . : -';

const Tag = z.string().regex(tag, tagRule);
const SessionId = z
  .string()
  .min(1)
  .max(128)
  .refine(wellFormed, wellFormedOnly)
  .refine((text) => !/\p{Cc}/u.test(text), 'Must not contain control characters');

/** Options of every start of a run. */
export const runLabelOptions = {
  tags: z.array(Tag).max(tagsMax).optional().meta({
    description: 'Labels of the run, and of the runs inside of it, to find it by in GET /v1/runs',
  }),
  sessionId: SessionId.optional().meta({
    description: 'What the run belongs to, for example a conversation or a job of yours',
  }),
};

/** The same as headers, for calls whose body another protocol has. */
export const labelHeaders = {
  'X-Run-Tags': z
    .string()
    .optional()
    .meta({
      description: `${runLabelOptions.tags.description}. At most 10, separated by commas`,
      example: 'nightly,import',
    }),
  'X-Session-Id': runLabelOptions.sessionId,
};

const HeaderLabels = z.object(runLabelOptions);

/**
 * The labels in the headers of a call whose body is its parameters: `X-Run-Tags` (separated by commas) and `X-Session-Id`.
 * @throws 400
 */
export function labelsInHeaders(header: (name: string) => string | undefined): RunLabels {
  const tags = header('x-run-tags')
    ?.split(',')
    .map((text) => text.trim())
    .filter((text) => text !== '');
  const parsed = HeaderLabels.safeParse({ tags, sessionId: header('x-session-id') });
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const name = issue?.path[0] === 'tags' ? 'X-Run-Tags' : 'X-Session-Id';
    throw invalidAt(name, 'INVALID_VALUE', issue?.message ?? 'Invalid');
  }
  return toRunLabels(parsed.data);
}
