import { loadOnce } from '../../core/load-once.ts';
import { StepError } from '../../core/step-error.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Need } from '../../platform/data/scope.ts';

/** A kind of work that threads do. What does it is registered under its name in `sandbox-thread/thread.ts`. */
export interface SandboxTask<Input, Output> {
  name: string;
  /** One at a time, whoever asks: for work that may take a quarter of a Lambda's memory. */
  alone?: boolean;
  /** Usually short: those of a tenant that come together go to a thread together, which costs less. */
  gathers?: boolean;
  /** For the compiler alone. */
  types?: (input: Input) => Output;
}

/** The task that a function of one argument does. */
export type TaskOf<Work extends (input: never) => unknown> = SandboxTask<
  Parameters<Work>[0],
  Awaited<ReturnType<Work>>
>;

export const sandboxTask = <Input, Output>(
  name: string,
  options: Pick<SandboxTask<Input, Output>, 'alone' | 'gathers'> = {},
): SandboxTask<Input, Output> => ({ name, ...options });

export interface Limits {
  /** What the task itself may take; waiting for its turn does not count. By the clock it may be twice that, and a second. */
  timeoutMs: number;
  /** Ends the task, or the wait for its turn. */
  signal?: AbortSignal | undefined;
  queueTimeout?: QueueTimeout | undefined;
}

/** What a request may still wait for turns, all its tasks together. Runs wait as long as it takes. */
export interface QueueTimeout {
  leftMs: number;
}

/**
 * Does CPU work of a tenant's making (scripts, templates with filters, foreign HTML) in a thread that can be ended, so
 * that it delays nobody else. @throws SandboxError
 */
export type Sandbox = <Input, Output>(
  task: SandboxTask<Input, Output>,
  input: Input,
  limits: Limits,
) => Promise<Output>;

/** A task that a limit ended: it took too long, too much memory, or broke its thread. */
export class SandboxError extends Error {
  readonly reason: 'time' | 'memory' | 'broken';

  constructor(reason: SandboxError['reason'], options?: ErrorOptions) {
    super(`A sandboxed task was ended: ${reason}`, options);
    this.reason = reason;
  }
}

const limitWords = { time: 'takes too long', memory: 'takes too much memory', broken: 'nests too deeply' };

/** For the `catch` of a task of a step: says which limit kept it from its end. @throws StepError, or what is no limit. */
export const limitAsStepError =
  (what: string, toDo: string) =>
  (cause: unknown): never => {
    if (!(cause instanceof SandboxError)) throw cause;
    throw new StepError(`${what} ${limitWords[cause.reason]} ${toDo}`, { cause });
  };

const loadPool = loadOnce(() => import('./pool.ts'));

/** The sandbox of a tenant, whose tasks take turns with those of other tenants. */
export const sandboxOf =
  (tenant: string): Sandbox =>
  (task, input, limits) =>
    loadPool().then(({ runInThread: inThread }) => inThread(tenant, task, input, limits));

/** With two tasks that take 11 s each by the clock, a request is still answered before API Gateway's 29 s are over. */
const queueTimeoutMs = 6_000;

/** The sandbox of one request. @throws also ServiceError 503 when the request would wait too long for its turn. */
export function withQueueTimeout(sandbox: Sandbox, signal?: AbortSignal): Sandbox {
  const queueTimeout: QueueTimeout = { leftMs: queueTimeoutMs };
  return (task, input, limits) => sandbox(task, input, { signal, ...limits, queueTimeout: queueTimeout });
}

/** The same, for those who name it under `needs`. */
export const sandbox: Need<Sandbox> = /* @__PURE__ */ using([], ({ table }) => sandboxOf(table.tenant));
