import type { EnvironmentName } from '../../environments.ts';

/** The name of the API, which is a dimension of its metrics, and of the dashboard. */
export const apiName = (env: EnvironmentName) => `agent-flow-${env}`;

/** The name prefix of all functions and alarms of a deployment. */
export const functionNamePrefix = (env: EnvironmentName) => `agent-flow-${env}-`;

/**
 * Fixed, so that operators can name a Lambda, and API Gateway's document need not refer to its resource. Until 29 November
 * 2026 a hyphen stood where the underscore is: while the Lambdas moved into stacks of their groups, both existed.
 */
export const lambdaName = (id: string, env: EnvironmentName) =>
  functionNamePrefix(env) + id.replace('.', '_');

/** Fixed, so that API Gateway's document can name it. Roles are global, so the region is a part of it. */
export const gatewayRoleName = (env: EnvironmentName, region: string) =>
  `agent-flow-${env}-${region}-gateway`;

/** The stack of what all deployments of a region share (D149). */
export const regionStackName = 'AgentFlowRegion';

/** The name of the CloudFormation stack. */
export const stackName = (env: EnvironmentName) => `AgentFlowService-${env}`;

/** The alias that receives the traffic of a Lambda, in environments with canary releases. */
export const liveAlias = 'live';
