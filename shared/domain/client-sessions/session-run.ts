import * as z from 'zod';
import { unixSeconds } from '../../core/time.ts';
import { credentialPartition } from '../../platform/auth/api-key.ts';
import { using } from '../../platform/aws/uses.ts';
import { defineEntity } from '../../platform/data/entity.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Write } from '../../platform/data/writes.ts';
import { ChatTarget } from './client-session.ts';

/** A run that waits for a page ends after seven days. */
const keptSeconds = 8 * 86_400;

/** A run that answers a message of a session. Nobody but the session may continue or follow it. */
export const SessionRun = z.object({
  hash: z.string(),
  executionId: z.string(),
  target: ChatTarget,
  conversationId: z.string(),
  /** The id that the answer has in the conversation. */
  answerId: z.string(),
  ttl: z.int(),
});
export type SessionRun = Omit<z.infer<typeof SessionRun>, 'ttl'>;

const sessionRunEntity = defineEntity({
  type: 'clientSessionRun',
  schema: SessionRun,
  key: ({ hash, executionId }: { hash: string; executionId: string }) => ({
    PK: credentialPartition(hash),
    SK: `CLIENT_RUN#${executionId}`,
  }),
});

export const sessionRuns = /* @__PURE__ */ using(['table:write'], ({ table, now }: Scope) => ({
  find: (hash: string, executionId: string): Promise<SessionRun | undefined> =>
    table.get(sessionRunEntity, { hash, executionId }, { consistent: true }),

  insert: (run: SessionRun): Write =>
    table.writes.insert(sessionRunEntity, { ...run, ttl: unixSeconds(now()) + keptSeconds }),
}));
