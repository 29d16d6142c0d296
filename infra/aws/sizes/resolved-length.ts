import type { StackTemplate } from './whole-template.ts';

/** The longest that AWS has or that a deployment may have. No region has both the partition and the name. */
const pseudo: Record<string, string> = {
  'AWS::Partition': 'aws-us-gov',
  'AWS::Region': 'ap-southeast-1',
  'AWS::AccountId': '123456789012',
  'AWS::URLSuffix': 'amazonaws.com.cn',
  'AWS::StackId': `arn:aws-us-gov:cloudformation:ap-southeast-1:123456789012:stack/AgentFlowService-staging/${'x'.repeat(36)}`,
  'AWS::StackName': 'AgentFlowService-staging',
};

/** The service in the ARN of a type, what stands before its name there, and the most characters of the name. */
const named: Record<string, [service: string, before: string, longest: number]> = {
  'AWS::DynamoDB::GlobalTable': ['dynamodb', 'table/', 255],
  'AWS::S3::Bucket': ['s3', '', 63],
  'AWS::S3Vectors::VectorBucket': ['s3vectors', 'bucket/', 63],
  'AWS::SQS::Queue': ['sqs', '', 80],
  'AWS::Logs::LogGroup': ['logs', 'log-group:', 512],
  'AWS::IAM::Role': ['iam', 'role/', 64],
  'AWS::Scheduler::ScheduleGroup': ['scheduler', 'schedule-group/', 64],
  'AWS::Events::EventBus': ['events', 'event-bus/', 256],
  'AWS::SecretsManager::Secret': ['secretsmanager', 'secret:', 512],
  'AWS::KMS::Key': ['kms', 'key/', 36],
  'AWS::SNS::Topic': ['sns', '', 256],
  'AWS::CloudFront::Distribution': ['cloudfront', 'distribution/', 14],
  'AWS::CloudFront::OriginAccessIdentity': ['cloudfront', 'origin-access-identity/', 14],
  'AWS::Lambda::Function': ['lambda', 'function:', 64],
};

/** What AWS appends to a name. */
const suffixes: Record<string, string> = { logs: ':*', secretsmanager: '-XXXXXX' };

/** How long texts are with what CloudFormation fills in, in the longest form that it can have. */
export function resolvedIn({ Resources }: StackTemplate) {
  /** CloudFormation: the stack, the logical id and 12 characters, shortened to what the service takes. */
  function nameOf(id: string, longest: number): string {
    return (Resources[id]?.Properties?.Name ?? `AgentFlowService-staging-${id}-${'X'.repeat(12)}`).slice(
      0,
      longest,
    );
  }
  function textOf(id: string, isArn: boolean): string {
    const type: string = Resources[id]?.Type ?? '';
    const [service, before, longest] = named[type] ?? [];
    if (!service || before === undefined || !longest)
      throw new Error(`Say how the ARN of a ${type} (${id}) is made`);
    const name = nameOf(id, longest);
    if (!isArn) return name;
    const place = service === 's3' ? ':' : 'ap-southeast-1:123456789012';
    return `arn:aws-us-gov:${service}:${place}:${before}${name}${suffixes[service] ?? ''}`;
  }
  function resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const [[key, argument] = ['', undefined]] = Object.entries(value);
    if (key === 'Ref') return pseudo[argument] ?? textOf(argument, false);
    if (key === 'Fn::GetAtt') return textOf([argument].flat()[0], /arn/i.test([argument].flat()[1]));
    if (key === 'Fn::Join') return (resolve(argument[1]) as string[]).join(argument[0]);
    if (key === 'Fn::Split') return (resolve(argument[1]) as string).split(argument[0]);
    if (key === 'Fn::Select') return (resolve(argument[1]) as string[])[argument[0]];
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolve(part)]));
  }
  return { lengthOf: (policy: object) => JSON.stringify(resolve(policy)).replaceAll(/\s/g, '').length };
}
