import * as z from 'zod';
import { parseExact } from '../../core/json/exact-json.ts';
import { Hidden } from '../../core/redaction/hidden.ts';
import type { Variables } from '../../core/variables.ts';
import { seal, unseal } from '../../platform/aws/seal.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import { userVariables } from '../../platform/identity/principal.ts';

export interface RunRecord {
  id: string | null;
  type: string;
  name: string;
  metadata: Record<string, unknown>;
  messages?: unknown;
}

export interface RunSource {
  flowId: string;
  flowName: string;
  runId: string;
  startedAt: string;
  userId: string;
  record?: RunRecord | undefined;
  inputs?: Variables | undefined;
  messages?: unknown;
}

/** The initial variables of a run. Built-in variables override the caller's inputs. */
export const runVariables = ({
  flowId,
  flowName,
  runId,
  startedAt,
  userId,
  record,
  inputs,
  messages = record?.messages,
}: RunSource): Variables => ({
  ...inputs,
  ...(messages != null && { messages }),
  ...(record && {
    _record: { id: record.id, name: record.name, type: record.type, metadata: record.metadata },
  }),
  _flow: { id: flowId, name: flowName },
  _execution: { id: runId, timestamp: startedAt },
  ...userVariables(userId),
});

const keyEnv = 'TEST_KEYS_KMS_KEY';

const Sealed = z.object({ value: z.unknown(), keys: z.array(z.string()) });

/** Only what runs flows gets it. Without it, the outputs that are shown stand in for those that flow on. */
export interface SealedValues {
  seal: (value: Hidden, runId: string) => Promise<string>;
  open: (sealed: string, runId: string) => Promise<Hidden>;
}

/** Encrypts what a run needs again when it resumes, so that the table has no values of secrets. Bound to tenant and run. */
export const sealedValues = /* @__PURE__ */ using(
  ['run-values'],
  ({ table: { tenant } }: Scope): SealedValues => {
    const context = (runId: string) => ({ tenant, runId, purpose: 'run' });
    return {
      seal: ({ value, keys }, runId) => seal(keyEnv, JSON.stringify({ value, keys }), context(runId)),
      async open(sealed, runId) {
        const text = await unseal(keyEnv, sealed, context(runId));
        if (text === undefined) throw new Error(`What the run ${runId} has sealed cannot be decrypted`);
        const { value, keys } = Sealed.parse(parseExact(text));
        return new Hidden(value, keys);
      },
    };
  },
);
