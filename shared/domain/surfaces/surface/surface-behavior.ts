import * as z from 'zod';
import { soleSecretReference } from '../../../core/secret-references.ts';
import { parseOrReject } from '../../../platform/http/validation.ts';
import { RecordType } from '../../records/record.ts';
import type { Surface } from './surface.ts';

const recordTypesMax = 20;

const McpBehavior = z.object({
  resources: z
    .strictObject({
      recordTypes: z.array(RecordType).max(recordTypesMax).meta({
        description: 'The types of the records that callers can read as resources',
      }),
    })
    .optional(),
});

const A2aBehavior = z.object({
  approvals: z.boolean().optional(),
  cardSigning: z
    .strictObject({
      // Responses show the behavior, so it holds no plaintext.
      secret: z
        .string()
        .refine(
          (value) => soleSecretReference(value) !== undefined,
          'Expected {{secret:KEY}} and nothing else',
        )
        .meta({ description: 'A reference to the private JSON Web Key that signs the agent card' }),
    })
    .optional(),
});

const behaviors: Partial<Record<Surface['type'], z.ZodType>> = { mcp: McpBehavior, a2a: A2aBehavior };

type Members = Record<string, unknown>;

/** @throws 400 for members of the behavior that surfaces of this type read, and that have other values. */
export function assertBehavior(type: Surface['type'], changes: Members | undefined): void {
  const schema = behaviors[type];
  if (!schema || !changes) return;
  const kept = Object.entries(changes).filter(([, value]) => value !== null);
  parseOrReject(schema, Object.fromEntries(kept), ['behavior']);
}

/** The key of the secret that signs the agent card of an a2a surface, if there is one. */
export function cardSecretKey({ type, behavior }: Pick<Surface, 'type' | 'behavior'>): string | undefined {
  if (type !== 'a2a') return undefined;
  const { secret } = A2aBehavior.safeParse(behavior).data?.cardSigning ?? {};
  return secret === undefined ? undefined : soleSecretReference(secret);
}

/** Whether the callers of a surface decide the calls that need an approval. Otherwise the tenant does. */
export function callersApprove({ type, behavior }: Pick<Surface, 'type' | 'behavior'>): boolean {
  return type === 'a2a' && A2aBehavior.safeParse(behavior).data?.approvals === true;
}

/** The types of the records that an mcp surface offers. None by default, or if their value is older than its check. */
export function listOfferedRecordTypes({ behavior }: Surface): string[] {
  const { data } = McpBehavior.safeParse(behavior);
  return [...new Set(data?.resources?.recordTypes)];
}
