import type { Runtime } from '../../runtime.ts';
import type { AnyEndpoint } from '../endpoint.ts';
import { openRequest } from '../open-requests.ts';
import { toLambda } from './lambda.ts';

/** Builds the Lambda handler of an endpoint whose requests last, but whose response is JSON. */
export const toLastingLambda = (endpoint: AnyEndpoint, loadRuntime?: () => Runtime) =>
  toLambda(endpoint, loadRuntime, { openRequest });
