import { loadOnce } from '../../core/concurrency/load-once.ts';
import { StepError } from '../../core/errors/step-error.ts';
import { using } from '../../platform/aws/uses.ts';
import type { Need } from '../../platform/data/scope.ts';

/** A kind of work for threads. `sandbox-thread/thread.ts` registers its function under this name. */
export interface SandboxTask<Input, Output> {
  name: string;
  /** Runs one at a time across tenants: for work that may take a quarter of a Lambda's memory. */
  alone?: boolean;
  /** Usually short: concurrent tasks of a tenant share one request to a thread, which costs less. */
  gathers?: boolean;
  /** For type inference only. */
  types?: (input: Input) => Output;
}

/** How a task asks its caller. The answer is plain data. */
export type AskCaller = (request: unknown) => Promise<unknown>;

/** The task for a function of an input. One that asks its caller receives `Ask` too. */
export type TaskOf<Work extends (input: never, ask: never) => unknown> = SandboxTask<
  Parameters<Work>[0],
  Awaited<ReturnType<Work>>
>;

export const sandboxTask = <Input, Output>(
  name: string,
  options: Pick<SandboxTask<Input, Output>, 'alone' | 'gathers'> = {},
): SandboxTask<Input, Output> => ({ name, ...options });

export interface SandboxLimits {
  /** Without the wait for a slot. CPU time for code; by wall-clock time about twice that plus a second. */
  timeoutMs: number;
  /** Aborts the task, or the wait for a slot. */
  signal?: AbortSignal | undefined;
  queueTimeout?: QueueTimeout | undefined;
  /** A failure ends the task. Its signal is aborted at the end. The time limit excludes the answers. */
  onAsk?: ((request: unknown, signal: AbortSignal) => Promise<unknown>) | undefined;
}

/** For all tasks of a request: time in which several of them wait counts once. Runs wait without a limit. */
export interface QueueTimeout {
  leftMs: number;
  /** How many tasks wait, and since when some task has. */
  waiting: number;
  since: number;
}

/** Runs CPU-heavy work of a tenant in a thread that can be terminated. @throws SandboxError */
export type Sandbox = <Input, Output>(
  task: SandboxTask<Input, Output>,
  input: Input,
  limits: SandboxLimits,
) => Promise<Output>;

/** A task exceeded a limit: time, memory, or it broke its thread. */
export class SandboxError extends Error {
  readonly reason: 'time' | 'memory' | 'broken';

  constructor(reason: SandboxError['reason'], options?: ErrorOptions) {
    super(`A sandboxed task was terminated: ${reason}`, options);
    this.reason = reason;
  }
}

const limitWords = { time: 'takes too long', memory: 'takes too much memory', broken: 'nests too deeply' };

/** For the `catch` of a step's task: names the exceeded limit. @throws StepError, or errors other than limits. */
export const limitAsStepError =
  (what: string, toDo: string) =>
  (cause: unknown): never => {
    if (!(cause instanceof SandboxError)) throw cause;
    throw new StepError(`${what} ${limitWords[cause.reason]} ${toDo}`, { cause });
  };

const loadPool = loadOnce(() => import('./pool.ts'));

/** The sandbox of a tenant. Tenants share the slots fairly. */
export const tenantSandbox =
  (tenant: string): Sandbox =>
  (task, input, limits) =>
    loadPool().then(({ runInThread }) => runInThread(tenant, task, input, limits));

/** With two tasks of 11 s each, a request still finishes within API Gateway's 29 s. */
const queueTimeoutMs = 6_000;

/** The sandbox of one request. @throws also ServiceError 503 if the request would wait too long for a slot. */
export function limitQueueTime(sandbox: Sandbox, signal?: AbortSignal): Sandbox {
  const queueTimeout: QueueTimeout = { leftMs: queueTimeoutMs, waiting: 0, since: 0 };
  return (task, input, limits) => sandbox(task, input, { signal, ...limits, queueTimeout });
}

/** A sandbox whose tasks take so long together, with their waits: what comes later exceeds its limit of time. */
export function limitTotalTime(sandbox: Sandbox, budgetMs: number): Sandbox {
  const spent = AbortSignal.timeout(budgetMs);
  return async (task, input, limits) => {
    try {
      return await sandbox(task, input, {
        ...limits,
        signal: AbortSignal.any([spent, limits.signal ?? spent]),
      });
    } catch (error) {
      throw spent.aborted ? new SandboxError('time', { cause: error }) : error;
    }
  };
}

export const sandbox: Need<Sandbox> = /* @__PURE__ */ using([], ({ table }) => tenantSandbox(table.tenant));
