/**
 * Runs a model by itself for a caller (the model endpoints): opens its ports, streams its answer, counts and lists the
 * call.
 * The call is listed at its end as a run of a flow that is not stored: one transaction writes its row, counts it and
 * releases the place of its request. Content is kept only until a collector of the tenant has it.
 * A crash during the call leaves nothing; the provider may charge for it all the same.
 */
import type { EmbeddingRequest, EmbeddingResponse } from '../../adapters/ports/embedding-port.ts';
import type { ModelEvent, ModelFinish, ModelMessage, ModelRequest } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { getStartedIn, iterateInSpan, openSpan, runInSpan } from '../../core/active-span.ts';
import { toChunks } from '../../core/chunks.ts';
import { log } from '../../core/log.ts';
import type { Note } from '../../core/note.ts';
import { unixSeconds } from '../../core/time.ts';
import { toTracedRun } from '../../core/trace-context.ts';
import { budgetGate } from '../../domain/budgets/spending.ts';
import { listedSeconds } from '../../domain/listed-seconds.ts';
import type { ModelCall } from '../../domain/model-usage/model-calls.ts';
import { usageWrites } from '../../domain/model-usage/usage.ts';
import type { EndStatus } from '../../domain/runs/run.ts';
import { runEnd } from '../../domain/runs/run-end.ts';
import { type NewRun, runError } from '../../domain/runs/run-list.ts';
import { originOfCall, type RunLabels, type RunOrigin } from '../../domain/runs/run-origin.ts';
import { totalsOfCalls } from '../../domain/runs/run-use.ts';
import { exportPayloads } from '../../domain/telemetry/run-export.ts';
import { runPayers, settleBudgets } from '../../execution/model-calls/budget-accounts.ts';
import { openMeter } from '../../execution/model-calls/pipeline.ts';
import { openPorts } from '../../execution/open-ports.ts';
import {
  openContentRoom,
  toGenAiAnswer,
  toGenAiMessages,
  traceContentBytesMax,
} from '../../execution/traces/messages.ts';
import { using } from '../../platform/aws/uses.ts';
import { payloadWriter } from '../../platform/data/payloads.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';

interface EndedModelRun {
  id: string;
  /** The model as its caller named it. */
  name: string;
  startedAt: Date;
  startedIn?: string;
  origin: RunOrigin;
  notes: Note[];
  calls: readonly ModelCall[];
  /** What the model was asked. */
  messages?: readonly ModelMessage[];
}

interface Outcome {
  answer?: Pick<ModelFinish, 'message' | 'stopReason'>;
  error?: unknown;
  isCancelled?: boolean;
}

/** Counts what a call of a model cost, and lists it. */
const modelRunRecorder = /* @__PURE__ */ using(
  ['table:write', payloadWriter, runEnd],
  (scope: Scope) =>
    async (run: EndedModelRun, outcome: Outcome): Promise<void> => {
      const { table } = scope;
      const ending = toModelEnding(run, outcome, scope.now());
      const keepContent = () => writeContent(scope, run, outcome);
      // What the model said has been sent already, or is a JSON answer.
      const { writes, send } = await runEnd(scope, toModelRun(run), ending, { keepContent, lastAnswer: '' });
      const counted = usageWrites(scope, [{ flowId: null, calls: run.calls }]);
      await Promise.all([table.commit([...writes, ...counted]), settleBudgets(scope)]);
      await send();
    },
);

/** Larger values are objects in the bucket. */
const inlineBytesMax = 90_000;

/** As attributes of its span. A run is recorded without them if they cannot be kept. */
async function writeContent(scope: Scope, { id, messages }: EndedModelRun, { answer }: Outcome) {
  if (!messages) return undefined;
  const { takeValue } = openContentRoom(traceContentBytesMax);
  const attributes = {
    ...takeValue('gen_ai.input.messages', toGenAiMessages(messages)),
    ...(answer &&
      takeValue('gen_ai.output.messages', toGenAiAnswer(answer.message.content, answer.stopReason))),
  };
  return payloadWriter(scope, exportPayloads)
    .offload(id, attributes, inlineBytesMax)
    .catch((error) => {
      log.error('What was said in a run could not be kept for its export', { error, runId: id });
      return undefined;
    });
}

const toModelRun = ({ id, name, startedAt, startedIn, origin, notes, calls }: EndedModelRun): NewRun => ({
  id,
  kind: 'flow',
  name: calls.at(-1)?.model ?? name,
  ...origin,
  startedAt: startedAt.toISOString(),
  ttl: unixSeconds(startedAt) + listedSeconds,
  ...(startedIn !== undefined && { startedIn }),
  ...(notes.length > 0 && { notes }),
});

function toModelEnding({ calls }: EndedModelRun, { error, isCancelled = false }: Outcome, at: Date) {
  const status: EndStatus = isCancelled ? 'cancelled' : error === undefined ? 'completed' : 'failed';
  const message = isCancelled ? 'The caller left' : error === undefined ? null : (error as Error).message;
  return { status, at: at.toISOString(), error: runError(status, message), totals: totalsOfCalls(calls) };
}

/** One call of a model by itself, in front of a caller. It is listed as a run at its end. */
export interface ModelRun {
  id: string;
  startedAt: Date;
  /** What its messages are loaded with. */
  ports: Ports;
  /** The events of the model. The run is recorded when they have ended, or nobody reads them any more. */
  stream: (request: ModelRequest) => AsyncGenerator<ModelEvent, void>;
  /** Takes any number of texts. */
  embed: (request: EmbeddingRequest) => Promise<Embedded>;
}

export type Embedded = Pick<EmbeddingResponse, 'vectors' | 'modelUsed' | 'promptTokens'>;

export interface ModelRunOwner {
  principal: Pick<Principal, 'kind' | 'keyId' | 'userId' | 'organizationId'>;
  labels?: RunLabels;
}

/** Opens calls of models by themselves: on the caller's budgets, within the limits of configs and keys, counted and listed. */
export const modelRuns = /* @__PURE__ */ using([openPorts, modelRunRecorder, budgetGate], (scope: Scope) => ({
  /** @throws BUDGET_EXCEEDED if a budget that pays for it is spent */
  async open({ principal, labels = {} }: ModelRunOwner): Promise<ModelRun> {
    const { userId, organizationId } = principal;
    const id = scope.newId('exec');
    const origin = originOfCall(principal, labels);
    await budgetGate(scope)(runPayers({ origin }));
    const startedAt = scope.now();
    const traced = getStartedIn();
    const span = openSpan(toTracedRun(id, traced.startedIn), '', startedAt.getTime());
    const meter = openMeter(openPorts(scope, { userId, organizationId, runId: id, origin }));
    const run = { id, startedAt, origin, ...traced, notes: span.notes };
    const record = modelRunRecorder(scope);
    return {
      id,
      startedAt,
      ports: meter.ports,

      async *stream(request) {
        let outcome: Parameters<typeof record>[1] = { isCancelled: true };
        try {
          for await (const event of iterateInSpan(span, meter.ports.model.stream(request))) {
            if (event.type === 'finish') outcome = { answer: event };
            yield event;
          }
        } catch (error) {
          outcome = { error, isCancelled: request.signal.aborted };
          throw error;
        } finally {
          const { model: name, messages } = request;
          await record({ ...run, name, calls: meter.calls(), messages }, outcome);
        }
      },

      async embed(request) {
        let outcome: Parameters<typeof record>[1] = {};
        try {
          return await runInSpan(span, () => embedAll(meter.ports, request));
        } catch (error) {
          outcome = { error, isCancelled: request.signal.aborted };
          throw error;
        } finally {
          await record({ ...run, name: request.model, calls: meter.calls() }, outcome);
        }
      },
    };
  },
}));

/** Those of one request. */
const textsMax = 500;

async function embedAll({ embed }: Pick<Ports, 'embed'>, request: EmbeddingRequest): Promise<Embedded> {
  const all: Embedded = { vectors: [], modelUsed: request.model, promptTokens: 0 };
  for (const texts of toChunks(request.texts, textsMax)) {
    const { vectors, modelUsed, promptTokens } = await embed({ ...request, texts });
    all.vectors.push(...vectors);
    all.modelUsed = modelUsed;
    all.promptTokens += promptTokens;
  }
  return all;
}
