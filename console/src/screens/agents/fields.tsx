import { CodeEditor } from '../../ui/code/code-editor.tsx';
import type { CustomField } from '../../ui/schema-form/form-context.ts';
import { ModelField } from './model-field.tsx';
import { ToolsField } from './tools-field.tsx';

const variables = ['_user', '_visitor', '_execution', '_agent', 'inputs'].map((label) => ({ label }));

/** The members of an agent that have fields of their own. */
export function agentField({ name, path, label, value, onChange, problem }: CustomField) {
  if (path === 'config.systemPrompt')
    return (
      <CodeEditor
        label="Instructions"
        help="What the agent is and does. A template: {{ variable }} inserts an input of the run."
        language="template"
        value={textOf(value)}
        onChange={(text) => onChange(text || undefined)}
        complete={() => variables}
        problem={problem}
      />
    );
  if (name === 'model' || name === 'defaultModel')
    return (
      <ModelField
        {...{ label, problem }}
        value={textOf(value)}
        onChange={(text) => onChange(text || undefined)}
      />
    );
  if (name === 'toolIds' || name === 'toolPool')
    return <ToolsField {...{ label, value, onChange, problem }} />;
  return undefined;
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
