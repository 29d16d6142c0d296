import * as z from 'zod';
import { nameUpTo } from '../../../core/name.ts';
import { hasSecretReference } from '../../../core/secret-references.ts';
import type { Permission } from '../../../platform/identity/permissions.ts';
import { isInToolConfig, listOwnTexts } from '../secret-keys.ts';
import { stepTypes } from '../step-types/index.ts';
import { RetryPolicy, timeoutMsOption } from '../steps/retry-policy.ts';
import type { AnyStepType, FlowStep } from '../steps/step.ts';
import { Expression } from '../steps/template-text.ts';
import { listEvaluatedTexts } from './step-nodes.ts';

export interface FlowStepInput {
  type: string;
  name: string;
  id?: string | undefined;
  order?: number | undefined;
  enabled?: boolean | undefined;
  when?: string | undefined;
  retry?: RetryPolicy | undefined;
  timeoutMs?: number | undefined;
  config?: Record<string, unknown> | undefined;
}

const base = {
  name: nameUpTo(255),
  id: z
    .string()
    .min(1)
    .max(128)
    .regex(/^[A-Za-z0-9_\-:.]+$/, 'An id may contain letters, digits and _ - : .')
    .optional()
    .meta({ description: 'Default: a generated id' }),
  order: z.int().min(0).optional().meta({ description: 'Default: the index in the list' }),
  enabled: z.boolean().optional().meta({ description: 'Default: true' }),
  when: Expression.max(500)
    .optional()
    .meta({ description: 'The step is skipped if this expression is falsy' }),
  retry: RetryPolicy.optional(),
  timeoutMs: timeoutMsOption,
};

/** Of one step. Words for each of 50,000 texts would hold up other requests. */
const refusalsMax = 5;

/** Steps that a step holds, as the caller sends them. */
const HeldSteps = z.lazy(() => NestedSteps) as unknown as z.ZodType<FlowStep[], unknown>;

/** The API document's schema of the type `fetch-url` is FetchUrlStep. It also describes the output. */
const toSchemaName = (type: string) =>
  `${type.replaceAll(/(^|-)([a-z])/g, (_match, _dash, letter: string) => letter.toUpperCase())}Step`;

const toStepSchema = ({
  type,
  summary,
  config,
  createConfig,
  output,
  takesSecrets,
  permission,
}: AnyStepType) => {
  const Config: z.ZodObject = createConfig?.(HeldSteps) ?? config;
  return z
    .strictObject({ type: z.literal(type), ...base, config: Config.prefault({}) })
    .superRefine((step, context) => {
      const { when } = step;
      const refuse = (issue: object, path: PropertyKey[]) =>
        context.addIssue({ code: 'custom', params: { code: 'SECRET_NOT_ALLOWED' }, ...issue, path });
      if (when && hasSecretReference(when)) refuse({ message: 'A condition cannot use secrets' }, ['when']);
      const named = listOwnTexts(step).filter(({ text }) => hasSecretReference(text));
      const texts = takesSecrets && named.length > 0 ? listEvaluatedTexts(step) : [];
      const filled = new Set(texts.map(({ path }) => path.join('.')));
      const message = takesSecrets ? 'This member cannot use secrets' : keepsSecret(type);
      const isAllowed = (path: PropertyKey[]) =>
        filled.has(path.join('.')) || (takesSecrets !== false && isInToolConfig(path));
      const refused = named.filter(({ path }) => !isAllowed(path));
      for (const { path } of refused.slice(0, refusalsMax)) refuse({ message }, path);
    })
    .meta({ id: toSchemaName(type), description: summary + inlineNeeds(permission), output });
};
const inlineNeeds = (permission: Permission | null) =>
  permission ? `. In an inline flow it also requires \`${permission}\`` : '';
const keepsSecret = (type: string) =>
  `A step of the type ${type} cannot use secrets, because it would store their values. These types accept {{secret:KEY}}: ${secretTakers.join(', ')}`;
const secretTakers = Object.values<AnyStepType>(stepTypes).flatMap(({ type, takesSecrets }) =>
  takesSecrets ? [type] : [],
);

type Variant = ReturnType<typeof toStepSchema>;

const FlowStepIn = z
  .discriminatedUnion(
    'type',
    Object.values<AnyStepType>(stepTypes).map(toStepSchema) as [Variant, ...Variant[]],
  )
  .meta({ id: 'FlowStepInput' });

/** The steps of a flow or of a list in it, each validated by itself. */
export const NestedSteps: z.ZodType<FlowStepInput[], FlowStepInput[]> = z
  .array(FlowStepIn)
  .meta({ id: 'FlowSteps' });
