import { runInvocation } from '../../core/invocation.ts';

/** Its log lines state the worker and the request id. Its metrics are written when it ends. */
export const toWorker =
  <Args extends unknown[], Result>(worker: string, handle: (...args: Args) => Promise<Result>) =>
  (...args: Args): Promise<Result> => {
    const { awsRequestId: requestId } = (args[1] ?? {}) as { awsRequestId?: string };
    return runInvocation({ worker, requestId }, () => handle(...args));
  };
