import { Stack } from 'aws-cdk-lib';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { acknowledgeWildcard, allow } from './grants.ts';

/** Allows flows to send emails, text messages and events. */
export function grantMessages(role: Role, bus: EventBus): void {
  const stack = Stack.of(role);
  for (const resource of ['identity', 'configuration-set']) {
    allow(role, ['ses:SendEmail'], [stack.formatArn({ service: 'ses', resource, resourceName: '*' })]);
    acknowledgeWildcard(
      role,
      `arn:<AWS::Partition>:ses:<AWS::Region>:<AWS::AccountId>:${resource}/*`,
      'The operator verifies senders in SES after the deployment.',
    );
  }
  // A phone number is not a resource; this excludes topics.
  const toNumbers = new PolicyStatement({
    effect: Effect.ALLOW,
    actions: ['sns:Publish'],
    notResources: [`arn:${stack.partition}:sns:*:*:*`],
  });
  role.addToPrincipalPolicy(toNumbers);
  allow(role, ['events:PutEvents'], [bus.eventBusArn]);
}
