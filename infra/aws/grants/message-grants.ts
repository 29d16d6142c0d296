import { Stack } from 'aws-cdk-lib';
import { Effect, PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { allowActions } from '../conventions/statements.ts';
import type { Stores } from '../stores/stores.ts';

/** Allows sending emails from the configured identities. */
export function grantEmails(role: Role, { senders }: Stores): void {
  for (const policy of senders) role.addManagedPolicy(policy);
}

/** Allows flows to send emails, text messages and events. */
export function grantMessages(role: Role, stores: Stores): void {
  const { eventBus } = stores;
  grantEmails(role, stores);
  // A phone number is not a resource; this excludes topics.
  const toNumbers = new PolicyStatement({
    effect: Effect.ALLOW,
    actions: ['sns:Publish'],
    notResources: [`arn:${Stack.of(role).partition}:sns:*:*:*`],
  });
  role.addToPrincipalPolicy(toNumbers);
  allowActions(role, ['events:PutEvents'], [eventBus.eventBusArn]);
}
