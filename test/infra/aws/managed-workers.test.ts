import { Match, Template } from 'aws-cdk-lib/assertions';
import { expect, test } from 'vitest';
import { managedEnvironment } from '../../../infra/aws/lambdas/managed-instances.ts';
import { queues, workersMax } from '../../../infra/resources.ts';
import { environmentStack, synthesise } from './synthesise.ts';

const managed = { workers: 'managed' };
const nameOf = (env: string, worker: string) => `agent-flow-${env}-workers_${worker}`;

test('by default no Lambda runs on instances, and there is no network', () => {
  const template = synthesise('dev');
  for (const type of ['AWS::Lambda::CapacityProvider', 'AWS::EC2::VPC', 'AWS::EC2::NatGateway'])
    template.resourceCountIs(type, 0);
});

test('with workers=managed, the workers of records and agents run on instances, several invocations in a process', () => {
  const functions = Object.values(synthesise('dev', managed).findResources('AWS::Lambda::Function'));
  const onInstances = functions.filter(({ Properties }) => Properties.CapacityProviderConfig);
  const names = onInstances.map(({ Properties }) => Properties.FunctionName);
  expect(names.sort()).toEqual([nameOf('dev', 'run-agent-managed'), nameOf('dev', 'run-record-managed')]);
  for (const { Properties } of onInstances)
    expect(Properties).toMatchObject({
      MemorySize: managedEnvironment.memoryMb,
      Timeout: 900,
      PublishToLatestPublished: true,
      Architectures: ['arm64'],
      LoggingConfig: { LogFormat: 'JSON' },
      CapacityProviderConfig: {
        LambdaManagedInstancesCapacityProviderConfig: {
          CapacityProviderArn: { 'Fn::GetAtt': [expect.any(String), 'Arn'] },
          PerExecutionEnvironmentMaxConcurrency: managedEnvironment.invocations,
          ExecutionEnvironmentMemoryGiBPerVCpu: managedEnvironment.gibPerVCpu,
        },
      },
    });
});

test('instances have private subnets, a group without inbound rules, an operator role, and a bound', () => {
  const template = synthesise('dev', managed);
  template.hasResourceProperties('AWS::Lambda::CapacityProvider', {
    InstanceRequirements: { Architectures: ['arm64'] },
    CapacityProviderScalingConfig: { MaxVCpuCount: 52 },
    PermissionsConfig: { CapacityProviderOperatorRoleArn: Match.anyValue() },
    VpcConfig: { SubnetIds: [Match.anyValue(), Match.anyValue()], SecurityGroupIds: [Match.anyValue()] },
  });
  const [group] = Object.values(template.findResources('AWS::EC2::SecurityGroup'));
  expect(group?.Properties.SecurityGroupIngress).toBeUndefined();
  template.resourceCountIs('AWS::EC2::SecurityGroupIngress', 0);
  template.resourceCountIs('AWS::EC2::VPCEndpoint', 2);
});

test('their queues send to the function itself, which has no alias: each version would have instances of its own', () => {
  const template = synthesise('prod', managed);
  const functions = template.findResources('AWS::Lambda::Function');
  const sources = Object.values(template.findResources('AWS::Lambda::EventSourceMapping'));
  const targets = sources.flatMap(
    ({ Properties }) => functions[Properties.FunctionName['Fn::GetAtt']?.[0]]?.Properties.FunctionName ?? [],
  );
  expect(targets.sort()).toEqual([nameOf('prod', 'run-agent-managed'), nameOf('prod', 'run-record-managed')]);
  const aliases = JSON.stringify(template.findResources('AWS::Lambda::Alias'));
  expect(aliases).toContain('workersplanbatch');
  expect(aliases).not.toMatch(/workersrun(record|agent)/);
});

test('alarms and the dashboard read the metrics of the functions on instances', () => {
  const { monitoring } = environmentStack('staging', managed);
  const text = JSON.stringify(monitoring && Template.fromStack(monitoring).toJSON());
  expect(text).toContain(nameOf('staging', 'run-record-managed'));
  expect(text).not.toMatch(new RegExp(`${nameOf('staging', 'run-record')}(?!-managed)`));
});

test('the workers on instances take nothing of Lambda’s concurrency', () => {
  const { runs, agents } = queues;
  const freed = runs.maxConcurrency.prod + agents.maxConcurrency.prod;
  expect(workersMax('prod') - workersMax('prod', 'managed')).toBe(freed);
});
