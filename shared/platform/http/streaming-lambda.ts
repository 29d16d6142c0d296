import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { Runtime } from '../runtime.ts';
import { awsLambda, type StreamingHandler } from './awslambda.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { toLambda } from './lambda.ts';

/** Builds a response-streaming Lambda handler of an endpoint, with the same request stack. */
export function toStreamingLambda(endpoint: AnyEndpoint, loadRuntime?: () => Runtime) {
  // Middy requires the global.
  awsLambda();
  return toLambda(endpoint, loadRuntime, executionModeStreamifyResponse) as unknown as StreamingHandler;
}
