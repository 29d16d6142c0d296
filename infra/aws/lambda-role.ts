import {
  type AddToPrincipalPolicyResult,
  PolicyDocument,
  type PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** An execution role whose policy is a part of it. The CDK's own would be a resource more for each role. */
export class LambdaRole extends Role {
  private readonly access: PolicyDocument;

  constructor(scope: Construct, id: string, description: string) {
    const access = new PolicyDocument();
    const assumedBy = new ServicePrincipal('lambda.amazonaws.com');
    super(scope, id, { assumedBy, description, inlinePolicies: { access } });
    this.access = access;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.access.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}
