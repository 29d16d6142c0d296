import { expect, test } from 'vitest';
import { synthesise } from './synthesise.ts';

/** The statements of all roles with this action. */
function statementsOf(action: string, context: Record<string, string> = {}) {
  const template = synthesise('dev', context);
  const roles = Object.values(template.findResources('AWS::IAM::Role'));
  const managed = Object.values(template.findResources('AWS::IAM::ManagedPolicy'));
  const policies = [
    ...roles.flatMap(({ Properties }) => Properties.Policies ?? []),
    ...managed.map(({ Properties }) => Properties),
  ];
  const all = policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement as Statement[]);
  return all.filter(({ Action }) => [Action].flat().includes(action));
}

interface Statement {
  Action: string | string[];
  Resource?: unknown;
  NotResource?: unknown;
}

test('flows send email only as the configured identities, and not at all without one', () => {
  expect(statementsOf('ses:SendEmail')).toEqual([]);
  const statements = statementsOf('ses:SendEmail', { sesIdentities: 'example.com,ada@example.org' });
  expect(statements.length).toBeGreaterThan(0);
  for (const { Resource } of statements) {
    const resources = JSON.stringify(Resource);
    expect(resources).toContain(':identity/example.com');
    expect(resources).toContain(':identity/ada@example.org');
    expect(resources).not.toContain('*');
  }
}, 60_000);

test('flows send texts to phone numbers but to no topic, and events to only one event bus', () => {
  const texts = statementsOf('sns:Publish');
  expect(texts.length).toBeGreaterThan(0);
  for (const { NotResource } of texts)
    expect(NotResource).toEqual({ 'Fn::Join': ['', ['arn:', { Ref: 'AWS::Partition' }, ':sns:*:*:*']] });
  for (const { Resource } of statementsOf('events:PutEvents'))
    expect(Resource).toEqual({ 'Fn::GetAtt': [expect.stringMatching(/eventbus/), 'Arn'] });
});
