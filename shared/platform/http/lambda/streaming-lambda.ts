import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { Runtime } from '../../runtime.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import { openLater, openRequest } from '../open-requests.ts';
import { awsLambda, type StreamingHandler } from './awslambda.ts';
import { toLambda } from './lambda.ts';

/** Builds a response-streaming Lambda handler of an endpoint, with the same request stack. */
export function toStreamingLambda(endpoint: AnyEndpoint, loadRuntime?: () => Runtime) {
  // Middy requires the global. The runtime recognises a streaming handler by the mark that `streamifyResponse` sets.
  const { streamifyResponse } = awsLambda();
  const handler = toLambda(endpoint, loadRuntime, {
    executionMode: executionModeStreamifyResponse,
    openRequest,
    openLater,
  });
  return streamifyResponse(handler as unknown as StreamingHandler);
}
