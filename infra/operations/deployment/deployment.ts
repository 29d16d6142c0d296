import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { stackName } from '../../aws/conventions/names.ts';
import type { EnvironmentName } from '../../environments.ts';
import { OperationError } from './operation.ts';

/** A deployed stack, as its outputs describe it. */
export interface Deployment {
  env: EnvironmentName;
  region: string;
  /** The base URL without a trailing slash. */
  url: string;
  tableName: string;
  payloadBucket: string;
  /** Absent if the deployment has another issuer than Cognito. */
  userPoolId: string | undefined;
  /** CloudFormation's status of the stack. */
  status: string;
}

/** Finds the stack with the AWS credentials and the region of the environment. @throws OperationError */
export async function findDeployment(env: EnvironmentName): Promise<Deployment> {
  const client = new CloudFormationClient({});
  const region = await client.config.region().catch(() => {
    throw new OperationError('Set AWS_REGION to the region of the deployment.');
  });
  const { outputs, status } = await stackOf(client, env, region);
  const required = (name: string) => {
    const value = outputs[name];
    if (value) return value;
    throw new OperationError(
      `The stack has no output ${name}. Deploy it again: npx cdk deploy --all -c env=${env}`,
    );
  };
  return {
    env,
    region,
    url: required('Url').replace(/\/+$/, ''),
    tableName: required('TableName'),
    payloadBucket: required('PayloadBucket'),
    userPoolId: outputs.UserPoolId,
    status,
  };
}

async function stackOf(client: CloudFormationClient, env: EnvironmentName, region: string) {
  const StackName = stackName(env);
  try {
    const { Stacks = [] } = await client.send(new DescribeStacksCommand({ StackName }));
    const all = Stacks.flatMap(({ Outputs = [] }) => Outputs);
    const outputs = Object.fromEntries(
      all.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue] as const),
    );
    return { outputs: outputs as Partial<typeof outputs>, status: Stacks[0]?.StackStatus ?? 'unknown' };
  } catch (error) {
    throw new OperationError(reasonOf(error, StackName, env, region), { cause: error });
  }
}

function reasonOf(error: unknown, stackName: string, env: EnvironmentName, region: string): string {
  const { name, message } = error as Error;
  if (name === 'ValidationError' && message.includes('does not exist'))
    return `There is no stack ${stackName} in ${region}. Deploy it first (npx cdk deploy --all -c env=${env}), or set AWS_REGION to its region.`;
  if (name === 'CredentialsProviderError')
    return 'There are no AWS credentials. Sign in (aws sso login), or set AWS_PROFILE.';
  return `The stack ${stackName} could not be read in ${region}: ${message}`;
}
