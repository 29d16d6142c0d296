import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import { forEachConcurrently } from '../../../shared/core/concurrency/map-concurrently.ts';
import type { QueueName } from '../../resources.ts';

/** A resource of a stack: what CloudFormation calls logical and physical id. */
export interface StackResource {
  /** The name of the stack, or the id of a nested one. */
  stack: string;
  type: string;
  name: string;
  id: string;
}

/** Below the rate that CloudFormation allows. */
const stacksAtOnce = 5;

/** The resources of a stack and of its nested stacks. */
export async function listStackResources(stackName: string): Promise<StackResource[]> {
  const client = new CloudFormationClient({});
  const resources = await resourcesOf(client, stackName);
  const nested = resources.filter(({ type }) => type === 'AWS::CloudFormation::Stack');
  await forEachConcurrently([...nested], stacksAtOnce, async ({ id }) => {
    resources.push(...(await resourcesOf(client, id)));
  });
  return resources;
}

async function resourcesOf(client: CloudFormationClient, stack: string): Promise<StackResource[]> {
  const resources: StackResource[] = [];
  for await (const { StackResourceSummaries = [] } of paginateListStackResources(
    { client },
    { StackName: stack },
  )) {
    for (const {
      ResourceType = '',
      LogicalResourceId = '',
      PhysicalResourceId = '',
    } of StackResourceSummaries)
      resources.push({ stack, type: ResourceType, name: LogicalResourceId, id: PhysicalResourceId });
  }
  return resources;
}

/** The URL of a queue, by the name that the CDK makes from its path. */
export function queueUrl(resources: readonly StackResource[], queue: QueueName, kind: '' | 'deadletters') {
  const pattern = new RegExp(`^stores${queue}${kind}[0-9A-F]{8}$`);
  return resources.find(({ type, name }) => type === 'AWS::SQS::Queue' && pattern.test(name))?.id;
}
