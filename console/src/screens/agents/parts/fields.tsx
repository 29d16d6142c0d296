import { agentTexts } from '../../../texts/agents.ts';
import { sharedTexts } from '../../../texts/shared.ts';
import { CodeEditor } from '../../../ui/code/code-editor.tsx';
import type { CustomField } from '../../../ui/schema-form/form-context.ts';
import { ToolsField } from '../tools/tools-field.tsx';
import { ModelField } from './model-field.tsx';

const variables = ['_user', '_visitor', '_execution', '_agent', 'inputs'].map((label) => ({ label }));

/** The members of an agent that have fields of their own. @param approval What needs one, as the config says it. */
export const agentFields =
  (approval: boolean | readonly string[]) =>
  ({ name, path, label, value, onChange, problem }: CustomField) => {
    if (path === 'config.systemPrompt')
      return (
        <Instructions
          value={textOf(value)}
          onChange={(text) => onChange(text || undefined)}
          problem={problem}
        />
      );
    if (name === 'model' || name === 'defaultModel')
      return (
        <ModelField
          label={label}
          problem={problem}
          value={textOf(value)}
          onChange={(text) => onChange(text || undefined)}
        />
      );
    if (name === 'toolIds' || name === 'toolPool')
      return (
        <ToolsField label={label} value={value} onChange={onChange} problem={problem} approval={approval} />
      );
    return undefined;
  };

interface InstructionsProps {
  value: string;
  onChange: (text: string) => void;
  problem?: string | undefined;
}

export const Instructions = ({ value, onChange, problem }: InstructionsProps) => (
  <CodeEditor
    label={sharedTexts.instructions}
    help={agentTexts.aboutInstructions}
    language="template"
    value={value}
    onChange={onChange}
    problem={problem}
    complete={() => variables}
  />
);

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
