import type * as z from 'zod';
import type { Sandbox } from '../../../adapters/sandbox/sandbox.ts';
import type { ErrorDetail } from '../../../core/errors/errors.ts';
import { toErrorDetails } from '../../../platform/http/validation.ts';
import { NestedSteps } from '../checking/flow-step.ts';
import { textProblems } from '../checking/text-problems.ts';
import { type Analysis, analyse } from './analyse.ts';
import { type Finding, limitFindings } from './finding.ts';

export interface Validation extends Analysis {
  valid: boolean;
  errors: Finding[];
}

/** The flow is too large or too deep for further analysis. */
const outOfBounds = new Set(['TOO_MANY_STEPS', 'TOO_MANY_TOOLS', 'TOO_MANY_VALUES', 'TOO_DEEP']);

/** Validates a flow as it is sent. @param Body The schema for saving; its issues become the errors verbatim. */
export async function validateSentFlow(
  Body: z.ZodType,
  body: Record<string, unknown>,
  sandbox: Sandbox,
): Promise<Validation> {
  const { error } = Body.safeParse(body, { reportInput: true });
  const member = stepsMember(body);
  const refusals = toErrorDetails(error?.issues ?? []);
  const stop = refusals.some(({ code }) => outOfBounds.has(code));
  const all = stop ? refusals : await withOthers(refusals, body[member], member, sandbox);
  const errors = limitFindings(all.map(({ path = '', ...detail }): Finding => ({ ...detail, path }))).map(
    (finding): Finding => ({ ...finding, ...stepAt(body, finding.path) }),
  );
  const analysis = stop
    ? { warnings: [], recommendations: [] }
    : await analyse(body[member], member, sandbox);
  return { valid: errors.length === 0, errors, ...analysis };
}

/** The member of the body that contains the steps. */
export const stepsMember = (body: Record<string, unknown>) =>
  body.flowSteps === undefined && body.steps !== undefined ? 'steps' : 'flowSteps';

export const isOutOfBounds = ({ errors }: Pick<Validation, 'errors'>) =>
  errors.some(({ code }) => outOfBounds.has(code));

/** Saving stops at the first kind of problem: the list of steps, then its shape. Validation reports all of them. */
async function withOthers(
  refusals: ErrorDetail[],
  steps: unknown,
  member: string,
  sandbox: Sandbox,
): Promise<ErrorDetail[]> {
  const { error } = refusals.length > 0 ? NestedSteps.safeParse(steps, { reportInput: true }) : {};
  const others = [
    ...toErrorDetails(error?.issues ?? [], [member]),
    ...(await textProblems(steps, [member], sandbox)),
  ];
  const refused = new Set(refusals.map(({ path }) => path));
  return [...refusals, ...others.filter(({ path }) => !refused.has(path))];
}

/** The innermost step on a path, with the index of its top-level step. */
function stepAt(body: unknown, path: string): Pick<Finding, 'step'> {
  const segments = path.split('.');
  let value: unknown = body;
  let step: Finding['step'];
  const index = Number(segments[1]);
  for (const [at, segment] of segments.entries()) {
    value = (value as Record<string, unknown> | null | undefined)?.[segment];
    const holder = segments[at - 1];
    if (!['flowSteps', 'steps', 'trueSteps', 'falseSteps'].includes(holder ?? '')) continue;
    const { name, type } = (value ?? {}) as { name?: unknown; type?: unknown };
    step = { index, name: typeof name === 'string' ? name : '', type: typeof type === 'string' ? type : '' };
  }
  return step ? { step } : {};
}
