import type { CfnStack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import type { CfnFunction } from 'aws-cdk-lib/aws-lambda';
import { beforeAll, expect, test } from 'vitest';
import { endpoints } from '../../../functions/index.ts';
import { entries, preTokenGeneration } from '../../../infra/aws/conventions/entries.ts';
import type { ServiceStack } from '../../../infra/aws/service-stack.ts';
import { findNestedStacks } from '../../../infra/aws/sizes/whole-template.ts';
import { environmentStack, synthesise } from './synthesise.ts';

interface Resource {
  Type: string;
  Properties: Record<string, never>;
  DependsOn?: string[];
}

const nestedIn = (stack: ServiceStack) => findNestedStacks(stack).filter((each) => each !== stack.monitoring);
const resourcesOf = (template: Template): Record<string, Resource> => template.toJSON().Resources;

let stack: ServiceStack;
let service: Template;
let releases: Template[];
beforeAll(() => {
  stack = environmentStack('prod');
  service = Template.fromStack(stack);
  releases = nestedIn(stack).map((nested) => Template.fromStack(nested));
}, 60_000);

const released = (type: string) => releases.flatMap((each) => Object.values(each.findResources(type)));

test('each Lambda but Cognito’s has a version, an alias and a canary with automatic rollback', () => {
  const count = entries.filter(({ id }) => id !== preTokenGeneration).length;
  for (const type of ['Lambda::Version', 'Lambda::Alias', 'CodeDeploy::DeploymentGroup'])
    expect(released(`AWS::${type}`)).toHaveLength(count);
  for (const alias of released('AWS::Lambda::Alias')) {
    expect(alias.Properties.Name).toBe('live');
    const { CodeDeployLambdaAliasUpdate } = alias.UpdatePolicy;
    expect(alias.DependsOn).toEqual([CodeDeployLambdaAliasUpdate.DeploymentGroupName.Ref]);
  }
  for (const { Properties } of released('AWS::CodeDeploy::DeploymentGroup')) {
    expect(Properties).toMatchObject({
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      AutoRollbackConfiguration: {
        Enabled: true,
        Events: expect.arrayContaining(['DEPLOYMENT_STOP_ON_ALARM']),
      },
      AlarmConfiguration: { Enabled: true },
    });
  }
});

test('a release moves at most 60 aliases at once, in at most five waves', () => {
  const stacks = Object.entries(resourcesOf(service)).filter(
    ([id, { Type }]) => Type === 'AWS::CloudFormation::Stack' && !id.startsWith('monitoring'),
  );
  const aliases = new Map(
    nestedIn(stack).map((nested, index) => [
      stack.getLogicalId(nested.nestedStackResource as CfnStack),
      Object.keys(releases[index]?.findResources('AWS::Lambda::Alias') ?? {}).length,
    ]),
  );
  // A stack is in the wave after the last of those that it waits for.
  const waveOf = (id: string): number => {
    const before = service.toJSON().Resources[id].DependsOn.filter((other: string) => aliases.has(other));
    return before.length === 0 ? 0 : 1 + Math.max(...before.map(waveOf));
  };
  const waves = Map.groupBy(stacks, ([id]) => waveOf(id));
  const sizes = [...waves.values()].map((wave) =>
    wave.reduce((sum, [id]) => sum + (aliases.get(id) ?? 0), 0),
  );
  expect(sizes.reduce((sum, size) => sum + size)).toBe(entries.length - 1);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(60);
  expect(sizes.length).toBeLessThanOrEqual(5);
  for (const [wave, members] of waves) {
    const earlier = stacks.filter(([id]) => waveOf(id) === wave - 1).map(([id]) => id);
    for (const [, { DependsOn }] of members) expect(DependsOn).toEqual(expect.arrayContaining(earlier));
  }
});

test('a release stops on alarms that exist, on at most ten, and a worker’s also on that of its own errors', () => {
  if (!stack.monitoring) throw new Error('There are no alarms');
  const alarms = Object.values(Template.fromStack(stack.monitoring).findResources('AWS::CloudWatch::Alarm'));
  const known = alarms.map(({ Properties }) => Properties.AlarmName);
  for (const { Properties } of released('AWS::CodeDeploy::DeploymentGroup')) {
    const names = Properties.AlarmConfiguration.Alarms.map(({ Name }: { Name: string }) => Name);
    expect(known).toEqual(expect.arrayContaining(names));
    expect(names).toContain('agent-flow-prod-endpoint-errors');
    expect(names.length).toBeLessThanOrEqual(10);
  }
  const ofWorkers = released('AWS::CodeDeploy::DeploymentGroup').filter(({ Properties }) =>
    JSON.stringify(Properties).includes('agent-flow-prod-worker-errors-'),
  );
  expect(ofWorkers).toHaveLength(entries.filter(({ id }) => id.startsWith('workers.')).length);
});

test('API Gateway, queues and timers invoke the aliases, and only after these exist', () => {
  const whole = synthesise('prod');
  const [api] = Object.values(whole.findResources('AWS::ApiGateway::RestApi'));
  const paths: Record<string, Record<string, object>>[] = api?.Properties.Body.paths;
  const uris = JSON.stringify(paths).match(/(:live)?\/(response-streaming-)?invocations"/g) ?? [];
  expect(uris.length).toBeGreaterThan(endpoints.length);
  for (const uri of uris) expect(uri).toMatch(/^:live/);
  const nested = Object.keys(service.findResources('AWS::CloudFormation::Stack')).filter(
    (id) => !id.startsWith('monitoring'),
  );
  expect(nested.length).toBeGreaterThan(5);
  const aliases = Object.keys(whole.findResources('AWS::Lambda::Alias'));
  const targets = Object.values(resourcesOf(whole)).flatMap(({ Type, Properties }): { Ref?: string }[] => {
    if (Type === 'AWS::Events::Rule')
      return ((Properties.Targets ?? []) as { Arn: { Ref?: string } }[]).map(({ Arn }) => Arn);
    const isTimer = Type === 'AWS::Lambda::Permission' && Properties.Principal === 'events.amazonaws.com';
    return Type === 'AWS::Lambda::EventSourceMapping' || isTimer ? [Properties.FunctionName ?? {}] : [];
  });
  expect(targets.length).toBeGreaterThan(20);
  for (const { Ref } of targets) expect(aliases).toContain(Ref);
  const [deployment] = Object.values(service.findResources('AWS::ApiGateway::Deployment'));
  expect(deployment?.DependsOn).toEqual(expect.arrayContaining(nested));
});

test('a Lambda gets a new version when its code or its configuration changes, and no other Lambda does', () => {
  const versionsOf = (some: ServiceStack) =>
    nestedIn(some).flatMap((nested) =>
      Object.keys(Template.fromStack(nested).findResources('AWS::Lambda::Version')),
    );
  const before = releases.flatMap((each) => Object.keys(each.findResources('AWS::Lambda::Version')));
  const changed = environmentStack('prod', {}, (some) => {
    const lambda = some.node.findChild('functions').node.findChild('flows').node.findChild('flows.get').node
      .defaultChild as CfnFunction;
    lambda.memorySize = 1_024;
    lambda.reservedConcurrentExecutions = 5;
  });
  const added = versionsOf(changed).filter((id) => !before.includes(id));
  expect(added).toEqual([expect.stringMatching(/^versionflowsget[0-9a-f]{16}$/)]);
  const limited = environmentStack('prod', {}, (some) => {
    const lambda = some.node.findChild('functions').node.findChild('flows').node.findChild('flows.get').node
      .defaultChild as CfnFunction;
    // Lambda refuses a version that equals the last, and this is not part of a version.
    lambda.reservedConcurrentExecutions = 5;
  });
  expect(versionsOf(limited)).toEqual(before);
}, 60_000);

test('CodeDeploy may move the aliases of this deployment only', () => {
  service.hasResourceProperties('AWS::IAM::Policy', {
    PolicyDocument: {
      Statement: [
        Match.objectLike({
          Action: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
          Resource: {
            'Fn::Join': ['', Match.arrayWith([Match.stringLikeRegexp(':function:agent-flow-prod-\\*$')])],
          },
        }),
        Match.objectLike({ Action: 'cloudwatch:DescribeAlarms' }),
      ],
    },
  });
});

test('without canary releases there are no aliases, and everything invokes the Lambdas themselves', () => {
  expect(environmentStack('prod', { canary: 'false' }).releases).toBeUndefined();
  const plain = synthesise('prod', { canary: 'false' });
  plain.resourceCountIs('AWS::Lambda::Alias', 0);
  expect(JSON.stringify(plain.toJSON())).not.toContain(':live');
});
