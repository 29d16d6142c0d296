import type { EmbeddingRequest, EmbeddingResponse } from '../../adapters/ports/embedding-port.ts';
import type { ModelEvent, ModelRequest } from '../../adapters/ports/model-port.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { toChunks } from '../../core/chunks.ts';
import { eachInSpan, inSpan, openSpan, startedIn } from '../../core/tracing/active-span.ts';
import { tracedRun } from '../../core/tracing/trace-context.ts';
import { budgetGate } from '../../domain/budgets/budget-gate.ts';
import { originOfCall, type RunLabels } from '../../domain/runs/run-origin.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Scope } from '../../platform/data/scope.ts';
import type { Principal } from '../../platform/identity/principal.ts';
import { livePorts } from '../live-ports.ts';
import { openMeter } from '../model-calls/model-meter.ts';
import { runPayers } from '../model-calls/payers.ts';
import { modelRunRecorder } from './record-model-run.ts';

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
export const modelRuns = /* @__PURE__ */ using([livePorts, modelRunRecorder, budgetGate], (scope: Scope) => ({
  /** @throws BUDGET_EXCEEDED if a budget that pays for it is spent */
  async open({ principal, labels = {} }: ModelRunOwner): Promise<ModelRun> {
    const { userId, organizationId } = principal;
    const id = scope.newId('exec');
    const origin = originOfCall(principal, labels);
    await budgetGate(scope)(runPayers({ origin }));
    const startedAt = scope.now();
    const traced = startedIn();
    const span = openSpan(tracedRun(id, traced.startedIn), '', startedAt.getTime());
    const meter = openMeter(livePorts(scope, { userId, organizationId, runId: id, origin }));
    const run = { id, startedAt, origin, ...traced, notes: span.notes };
    const record = modelRunRecorder(scope);
    return {
      id,
      startedAt,
      ports: meter.ports,

      async *stream(request) {
        let outcome: Parameters<typeof record>[1] = { isCancelled: true };
        try {
          for await (const event of eachInSpan(span, meter.ports.model.stream(request))) {
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
          return await inSpan(span, () => embedAll(meter.ports, request));
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
