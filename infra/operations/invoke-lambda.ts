import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { lambdaName } from '../aws/conventions/names.ts';
import type { EnvironmentName } from '../environments.ts';
import { OperationError } from './deployment/operation.ts';

/**
 * Invokes a Lambda of a deployment and waits for its result, which has an `errorMessage` if it threw.
 * @throws OperationError if it could not be invoked.
 */
// biome-ignore lint/suspicious/noExplicitAny: Lambdas return results of every shape
export async function invokeLambda(env: EnvironmentName, id: string, event: object): Promise<any> {
  const FunctionName = lambdaName(id, env);
  const Payload = new TextEncoder().encode(JSON.stringify(event));
  const { Payload: answer } = await new LambdaClient({})
    .send(new InvokeCommand({ FunctionName, Payload }))
    .catch((cause) => {
      const reason = `The Lambda ${FunctionName} could not be invoked: ${cause.message}`;
      throw new OperationError(reason, { cause });
    });
  return JSON.parse(new TextDecoder().decode(answer));
}
