import { executionModeStreamifyResponse } from '@middy/core/StreamifyResponse';
import type { Runtime } from '../runtime.ts';
import { awsLambda, type StreamingHandler } from './awslambda.ts';
import type { AnyEndpoint } from './endpoint.ts';
import { toLambda } from './lambda.ts';

/** One endpoint as a Lambda whose answer is streamed, through the same stack as the others. */
export function toStreamingLambda(endpoint: AnyEndpoint, loadRuntime?: () => Runtime) {
  // Middy looks for it.
  awsLambda();
  return toLambda(endpoint, loadRuntime, executionModeStreamifyResponse) as unknown as StreamingHandler;
}
