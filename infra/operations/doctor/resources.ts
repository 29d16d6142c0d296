import { CloudFormationClient, paginateListStackResources } from '@aws-sdk/client-cloudformation';
import type { QueueName } from '../../resources.ts';

/** A resource of the stack: what CloudFormation calls logical and physical id. */
export interface StackResource {
  type: string;
  name: string;
  id: string;
}

export async function listStackResources(stackName: string): Promise<StackResource[]> {
  const resources: StackResource[] = [];
  const pages = paginateListStackResources(
    { client: new CloudFormationClient({}) },
    { StackName: stackName },
  );
  for await (const { StackResourceSummaries = [] } of pages) {
    for (const {
      ResourceType = '',
      LogicalResourceId = '',
      PhysicalResourceId = '',
    } of StackResourceSummaries)
      resources.push({ type: ResourceType, name: LogicalResourceId, id: PhysicalResourceId });
  }
  return resources;
}

/** The URL of a queue, by the name that the CDK makes from its path. */
export function queueUrl(resources: readonly StackResource[], queue: QueueName, kind: '' | 'deadletters') {
  const pattern = new RegExp(`^stores${queue}${kind}[0-9A-F]{8}$`);
  return resources.find(({ type, name }) => type === 'AWS::SQS::Queue' && pattern.test(name))?.id;
}
