import { App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { expect, test } from 'vitest';
import { grantMessages } from '../../../infra/aws/message-grants.ts';

test('a role may send as the account’s identities, to phone numbers but to no topic, and to only one event bus', () => {
  const stack = new Stack(new App(), 'Stack');
  const role = new Role(stack, 'role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
  grantMessages(role, new EventBus(stack, 'bus'));
  const [policy] = Object.values(Template.fromStack(stack).findResources('AWS::IAM::Policy'));
  const statements = policy?.Properties.PolicyDocument.Statement as Record<string, unknown>[];
  const of = (action: string) => statements.filter(({ Action }) => Action === action);

  expect(JSON.stringify(of('ses:SendEmail').map(({ Resource }) => Resource))).toContain(':identity/*');
  expect(of('sns:Publish')).toEqual([
    {
      Action: 'sns:Publish',
      Effect: 'Allow',
      NotResource: { 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':sns:*:*:*']] },
    },
  ]);
  expect(of('events:PutEvents')).toMatchObject([
    { Resource: { 'Fn::GetAtt': [expect.stringMatching(/^bus/), 'Arn'] } },
  ]);
});
