import type { Template } from 'aws-cdk-lib/assertions';
import { beforeAll, expect, test } from 'vitest';
import { endpoints, groups } from '../../../functions/index.ts';
import { routes } from '../../../infra/routes.ts';
import { synthesise } from './synthesise.ts';

/** More endpoints than the interface has: there must be room for the next ones. */
const planned = 200;
const factor = planned / endpoints.length;

let template: Template;
beforeAll(() => {
  // With everything that a deployment can have.
  template = synthesise('dev', {
    cloudFront: 'true',
    wafRatePer5Minutes: '2000',
    corsOrigins: 'https://a.example.com,https://b.example.com',
    sesIdentities: 'example.com',
    alarms: 'true',
    canary: 'true',
  });
}, 60_000);

/** Extrapolates the whole: some resources do not grow with the endpoints, so this is too high. */
const atPlanned = (today: number) => Math.ceil(today * factor);
const isOfGroup = ({ Properties }: { Properties?: { Description?: string } }) =>
  Properties?.Description?.startsWith('Lambdas of the group') ?? false;

test('at 200 endpoints the stack has fewer than 460 of CloudFormation’s 500 resources', () => {
  const today = Object.keys(template.toJSON().Resources).length;
  const groupCount = Object.keys(groups).length;
  const added = {
    lambdas: planned - endpoints.length,
    // The role of a group, its log, and the nested stack of its releases.
    ofGroups: 3 * (atPlanned(groupCount) - groupCount),
  };
  expect(today + added.lambdas + added.ofGroups).toBeLessThan(460);
});

const isOfLambdas = (id: string) => id.startsWith('functions');

/** What belongs to queues, workers and stores, of which there are as many with 200 endpoints. */
const ofNoEndpoint = /^AWS::(?:SQS|DynamoDB|S3|S3Vectors|Cognito|KMS)::|^AWS::Lambda::EventSourceMapping$/;

test('a group costs two resources and a Lambda one: policies are parts of the roles', () => {
  expect(Object.keys(template.findResources('AWS::IAM::Policy')).filter(isOfLambdas)).toEqual([]);
  const roles = Object.values(template.findResources('AWS::IAM::Role')).filter(isOfGroup);
  for (const { Properties } of roles) expect(Properties.Policies).toHaveLength(1);
});

test('at 200 endpoints the template is smaller than 950 KB of CloudFormation’s 1 MB', () => {
  const json = template.toJSON();
  const resources: { Type: string }[] = Object.values(json.Resources);
  const fixed = JSON.stringify(resources.filter(({ Type }) => ofNoEndpoint.test(Type))).length;
  expect(fixed + atPlanned(JSON.stringify(json).length - fixed)).toBeLessThan(950_000);
});

test('at 200 endpoints the API has fewer than 280 of API Gateway’s 300 resources', () => {
  const resources = new Set(
    routes.flatMap(({ path }) => {
      const segments = path.split('/').slice(1);
      return segments.map((_, index) => segments.slice(0, index + 1).join('/'));
    }),
  );
  expect(atPlanned(resources.size)).toBeLessThan(280);
});

test('at 200 endpoints the stack has fewer than 60 roles', () => {
  const roles = Object.values(template.findResources('AWS::IAM::Role'));
  const ofGroups = roles.filter(isOfGroup);
  const fixed = roles.length - ofGroups.length;
  expect(fixed + atPlanned(ofGroups.length)).toBeLessThan(60);
});
