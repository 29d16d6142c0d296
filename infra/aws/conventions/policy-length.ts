import type { Stack } from 'aws-cdk-lib';
import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';

/** The length of most ARNs with a name that CloudFormation generates, and of the longest region. */
const lengths = { arn: 140, pseudo: 14 };

/** About how many characters IAM counts, once CloudFormation has filled in names. */
export function resolvedLength(stack: Stack, statement: PolicyStatement): number {
  const text = JSON.stringify(stack.resolve(statement.toStatementJson()));
  return text.replaceAll(/\{"(?:Fn::GetAtt|Ref)":[^}]*\}/g, (token) =>
    'x'.repeat(token.startsWith('{"Ref":"AWS::') ? lengths.pseudo : lengths.arn),
  ).length;
}
