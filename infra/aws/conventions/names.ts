import type { EnvironmentName } from '../../environments.ts';

/** The name of the API, which is a dimension of its metrics, and of the dashboard. */
export const apiName = (env: EnvironmentName) => `agent-flow-${env}`;

/** The name prefix of all functions and alarms of a deployment. */
export const functionNamePrefix = (env: EnvironmentName) => `agent-flow-${env}-`;

/** Fixed, so that operators can name a Lambda, and API Gateway's document need not refer to its resource. */
export const lambdaName = (id: string, env: EnvironmentName) =>
  functionNamePrefix(env) + id.replace('.', '-');

/** The stack of what all deployments of a region share. */
export const regionStackName = 'AgentFlowRegion';

/** The name of the CloudFormation stack. */
export const stackName = (env: EnvironmentName) => `AgentFlowService-${env}`;

/** The alias that receives the traffic of a Lambda, in environments with canary releases. */
export const liveAlias = 'live';
