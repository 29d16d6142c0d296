import type { Variables } from '../../core/variables/variables.ts';
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
