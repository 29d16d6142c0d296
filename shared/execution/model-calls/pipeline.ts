/**
 * The layers of a model call, from the outside in. Each takes ports and yields ports; the order decides what is right.
 * 1. `openMeter`: counts what a step, a tool or a loop takes, also calls that break off. Outside of all others, since
 * whatever they refuse took nothing. Every call that a provider answered counts, whatever became of the answer: one that
 * broke off has no tokens and no price, one that was refused costs nothing. Inner agents count as spent, but not as calls,
 * since their own run counts them.
 * 2. The masks (`step-support/masks.ts`), around all ports: no value of a secret leaves what is below unmasked.
 * 3. `enforceAccounts` with the `maxCost` of an agent's run (`agent-loop/run-budget.ts`): outside of the span, since a run
 * that waits for its own calls does not wait for a model.
 * 4. `addPayer`, a flow or an agent: outside of the budgets, which read the payers.
 * 5. `recordModelCalls`: outside of budgets and limits, so that the span of a call shows the time that it waited for both.
 * 6. `overrideModel`: outside of the budgets, which must price the model that is really called.
 * 7. `enforceAccounts` with the budgets of the tenant (`budget-accounts.ts`): outside of the admission, so that a call
 * which no budget pays for takes no permit; its reservation is held while the call waits.
 * 8. The provider (`adapters/models/model-ports.ts`): resolves the model, retries temporary errors and admits every single
 * request (`model-admission.ts`): a retry counts against the limits again, and not against the budgets.
 * `openModelPipeline` puts 5 to 8 together, for every run of the service; runs add 2 to 4 for themselves, steps and
 * loops 1.
 */
import Big from 'big.js';
import type { EmbeddingRequest } from '../../adapters/ports/embedding-port.ts';
import {
  ModelCallFailed,
  type ModelCallSource,
  type ModelEvent,
  type ModelFinish,
  type ModelPort,
  type ModelRequest,
} from '../../adapters/ports/model-port.ts';
import type { Payer } from '../../adapters/ports/payer.ts';
import type { Ports } from '../../adapters/ports/ports.ts';
import { type Spending, sumSpending } from '../../adapters/ports/spending.ts';
import { beginNote, type NoteFacts, recordNote } from '../../core/active-span.ts';
import { createWarning, mergeWarnings, type Warning } from '../../core/warnings.ts';
import { createModelCall, createRefusedCall, type ModelCall } from '../../domain/model-usage/model-calls.ts';
import { type StepSpending, toStepSpending } from '../../domain/runs/run-use.ts';
import type { Cost, PricedCall } from './call-cost.ts';

type ModelPorts = Pick<Ports, 'model' | 'embed'>;

/** @param override The model that all calls use. */
export const openModelPipeline = (
  provider: ModelPorts,
  findPayment: FindPayment,
  override: string | undefined,
): ModelPorts => {
  const paid = enforceAccounts(provider, findPayment);
  const model = override === undefined ? paid.model : overrideModel(paid.model, override);
  return recordModelCalls({ ...paid, model });
};

export interface ModelMeter {
  ports: Ports;
  calls: () => readonly ModelCall[];
  /** What was spent since it was last asked, and the model calls in it that are still to be counted. */
  drain: () => { calls: ModelCall[]; spending: Spending; warnings: readonly Warning[] };
  /** Of the result of a step. */
  facts: () => StepSpending & { modelUsed?: string };
}

export function openMeter(ports: Ports): ModelMeter {
  const all: ModelCall[] = [];
  const ofAgents: Spending[] = [];
  let drained = { calls: 0, agents: 0 };
  let warnings: readonly Warning[] = [];
  let undrained: readonly Warning[] = [];
  const addWarnings = (...added: readonly Warning[]) => {
    warnings = mergeWarnings(warnings, added);
    undrained = mergeWarnings(undrained, added);
  };
  // Cut only when it is masked.
  const warn: Ports['warn'] = ({ code, message }) =>
    addWarnings(createWarning({ code, message: ports.shown(message) }));
  return {
    ports: {
      ...ports,
      warn,
      fetch: (request) => ports.fetch({ ...request, warn }),
      model: {
        ...ports.model,
        async *stream(request) {
          const began = ports.now().getTime();
          yield* watchCall(ports.model.stream(request), ({ charge, isFinished, failure }) => {
            const durationMs = Math.max(0, ports.now().getTime() - began);
            if (charge) all.push(createModelCall({ ...charge, durationMs, isBrokenOff: !isFinished }));
            else if (failure && !failure.isAborted) all.push(createRefusedCall(failure.source, durationMs));
          });
        },
      },
      async embed(request) {
        const began = ports.now().getTime();
        const answer = await ports.embed(request);
        const durationMs = Math.max(0, ports.now().getTime() - began);
        const { promptTokens: inputTokens, estimatedCost: cost } = answer;
        all.push(createModelCall({ ...answer, usage: { inputTokens, outputTokens: 0 }, cost, durationMs }));
        return answer;
      },
      agents: {
        ...ports.agents,
        async run(request) {
          const outcome = await ports.agents.run(request);
          ofAgents.push(outcome.spending);
          addWarnings(...(outcome.warnings ?? []));
          return outcome;
        },
      },
    },
    calls: () => all,
    drain() {
      const calls = all.slice(drained.calls);
      const agents = ofAgents.slice(drained.agents);
      drained = { calls: all.length, agents: ofAgents.length };
      const said = undrained;
      undrained = [];
      return { calls, spending: sumSpending([...calls, ...agents]), warnings: said };
    },
    facts() {
      const last = all.findLast(({ calls }) => calls > 0);
      return {
        ...(last && { modelUsed: last.model }),
        ...((last || ofAgents.length > 0) && toStepSpending(sumSpending([...all, ...ofAgents]))),
        ...(warnings.length > 0 && { warnings }),
      };
    },
  };
}

/** The ports of a flow or an agent: calls of models are on its account too, and those of the agents that it runs. */
export function addPayer(ports: Ports, payer: Payer): Ports {
  const add = <Request extends { payers?: readonly Payer[] | undefined }>(request: Request): Request => ({
    ...request,
    payers: [...(request.payers ?? []), payer],
  });
  return {
    ...ports,
    model: { ...ports.model, stream: (request) => ports.model.stream(add(request)) },
    embed: (request) => ports.embed(add(request)),
    agents: { ...ports.agents, run: (request) => ports.agents.run(add(request)) },
  };
}

/** Notes the calls of models in the active span. */
const recordModelCalls = ({ model, embed }: ModelPorts): ModelPorts => ({
  embed: (request) =>
    recordNote(
      { k: 'm', n: request.model, ty: 'embeddings' },
      () => embed(request),
      ({ modelUsed, promptTokens, estimatedCost }) => ({
        n: modelUsed,
        u: [promptTokens],
        ...(estimatedCost !== null && { c: estimatedCost }),
      }),
    ),
  model: {
    ...model,
    async *stream(request) {
      const note = beginNote({ k: 'm', n: request.model });
      yield* watchCall(model.stream(request), (end) => note?.end(toNoteFacts(end)));
    },
  },
});

/** When a call began, its first piece, and how it ended. */
function toNoteFacts({ charge, isFinished, failure, firstMs }: CallEnd): Partial<NoteFacts> {
  const { usage, cost, stopReason = 'stop' } = charge ?? {};
  const { modelUsed } = failure?.source ?? charge ?? {};
  return {
    ...(!isFinished && { st: 'e' }),
    ...(modelUsed !== undefined && { n: modelUsed }),
    ...(usage && {
      u: [usage.inputTokens, usage.outputTokens, usage.cacheReadTokens ?? 0, usage.reasoningTokens ?? 0],
    }),
    ...(typeof cost === 'string' && { c: cost }),
    ...(stopReason !== 'stop' && { r: stopReason }),
    ...(firstMs !== undefined && { f: firstMs }),
  };
}

const overrideModel = (port: ModelPort, model: string): ModelPort => ({
  ...port,
  stream: (request) => port.stream({ ...request, model }),
  alternatives: () => port.alternatives(model),
  limits: () => port.limits(model),
  identity: () => port.identity(model),
});

/** Pays for calls of models: a budget of a tenant, which is stored, or what a run may cost, in memory. */
export interface SpendingAccount {
  /** Sets aside what a call may cost, or less, but not less than the least. @throws if it does not pay */
  reserve: (cost: Cost, signal: AbortSignal) => Promise<Reservation>;
}

/** What is set aside for a call. */
export interface Reservation {
  amount: Big;
  /** To be called once, when the call has ended, with what it cost. */
  settle: (cost: Big) => void;
}

/** Which accounts pay for a call, and what they are asked for. Undefined if none has to. */
export type FindPayment = (
  request: ModelRequest | EmbeddingRequest,
) => Promise<{ accounts: readonly SpendingAccount[]; price: PricedCall } | undefined>;

/**
 * Of each call: reserve its highest cost in every account in order, shorten the response to what was reserved, make the
 * call, settle with its cost, or with the whole reservation if nobody knows the cost. If one account does not pay, the
 * reservations so far are settled with 0.
 */
export function enforceAccounts({ model, embed }: ModelPorts, findPayment: FindPayment): ModelPorts {
  return {
    model: {
      ...model,
      async *stream(request) {
        const paid = await reservePayment(findPayment, request);
        if (!paid) return yield* model.stream(request);
        const { maxTokens, settle } = paid;
        const { settings } = request;
        const limited =
          maxTokens === undefined ? request : { ...request, settings: { ...settings, maxTokens } };
        yield* watchCall(model.stream(limited), ({ charge }) =>
          settle(charge ? (charge.cost ?? undefined) : '0'),
        );
      },
    },
    async embed(request) {
      const paid = await reservePayment(findPayment, request);
      let cost: string | undefined = '0';
      try {
        const answer = await embed(request);
        cost = answer.estimatedCost ?? undefined;
        return answer;
      } finally {
        paid?.settle(cost);
      }
    },
  };
}

async function reservePayment(findPayment: FindPayment, request: ModelRequest | EmbeddingRequest) {
  const payment = await findPayment(request);
  if (!payment) return undefined;
  const { accounts, price } = payment;
  const reservations: Reservation[] = [];
  /** @param cost USD; undefined if it is not known. */
  const settle = (cost: string | undefined) => {
    for (const each of reservations) each.settle(cost === undefined ? each.amount : new Big(cost));
  };
  let { wanted } = price.cost;
  try {
    // Each account is asked for no more than the one before gave.
    for (const account of accounts) {
      const reservation = await account.reserve({ ...price.cost, wanted }, request.signal);
      reservations.push(reservation);
      if (reservation.amount.lt(wanted)) wanted = reservation.amount;
    }
  } catch (error) {
    settle('0');
    throw error;
  }
  return { settle, maxTokens: price.responseFor(wanted) };
}

/** How a call of a model ended. */
interface CallEnd {
  /** What the provider charges, null where it does not say it; undefined if it did not begin to answer. */
  charge?: ModelCallSource & Pick<ModelFinish, 'usage' | 'cost'> & Partial<ModelFinish>;
  isFinished: boolean;
  failure?: ModelCallFailed;
  /** Until the first piece of the response. */
  firstMs?: number;
}

/** Says once how a call ended, however it ends. A provider charges what it began, also if it does not say how much that is. */
async function* watchCall(
  events: AsyncIterable<ModelEvent>,
  onEnd: (end: CallEnd) => void,
): AsyncGenerator<ModelEvent, void> {
  const began = Date.now();
  const end: CallEnd = { isFinished: false };
  try {
    for await (const event of events) {
      if (event.type === 'start') end.charge = { usage: null, cost: null, ...event.charged, ...event };
      else end.firstMs ??= Math.max(0, Date.now() - began);
      if (event.type === 'finish' && !end.isFinished) {
        Object.assign(end, { charge: event, isFinished: true });
        onEnd(end);
      }
      yield event;
    }
  } catch (error) {
    if (error instanceof ModelCallFailed) end.failure = error;
    throw error;
  } finally {
    if (!end.isFinished) onEnd(end);
  }
}
