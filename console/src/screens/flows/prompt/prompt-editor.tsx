import { lazy } from 'react';
import { editorTexts } from '../../../texts/flow-editor.ts';
import type { Suggestion } from '../../../ui/code/editor.ts';
import { joined } from '../../../ui/schema-form/paths.ts';
import type { JsonObject } from '../../../ui/values/schema.ts';
import { ModelField } from '../../agents/parts/model-field.tsx';
import { KeptPanel } from '../data/kept-panel.tsx';
import { VariableEditor } from '../data/variable-editor.tsx';
import { promptTexts, userMember } from '../steps/prompt-texts.ts';
import type { Step } from '../steps/steps.ts';
import '../../../style/prompt.css';

const PromptTest = lazy(async () => ({ default: (await import('./prompt-test.tsx')).PromptTest }));

/** The members that this draws itself. */
export const promptMembers = ['model', 'systemPrompt', 'userPrompt', 'text'] as const;

interface Props {
  step: Step;
  /** Of the config: `flowSteps.2.config`. */
  path: string;
  problems: Readonly<Record<string, string>>;
  complete: (word: string) => readonly Suggestion[];
  onChange: (config: JsonObject) => void;
}

/** The model and the messages of a prompt, with a preview and tests on records. */
export function PromptEditor({ step, path, problems, complete, onChange }: Props) {
  const { system, user } = promptTexts(step);
  const config = step.config ?? {};
  const problemOf = (member: string) => problems[joined(path, member)];
  function set(member: string, value: string) {
    const { [member]: _before, ...rest } = config;
    onChange(value === '' ? rest : { ...config, [member]: value });
  }
  return (
    <div className="prompt">
      <ModelField
        value={typeof config.model === 'string' ? config.model : ''}
        problem={problemOf('model')}
        onChange={(model) => onChange({ ...config, model })}
      />
      <div className="prompt-messages">
        <VariableEditor
          stepId={step.id}
          label={editorTexts.systemPrompt}
          language="template"
          complete={complete}
          problem={problemOf('systemPrompt')}
          value={system}
          onChange={(text) => set('systemPrompt', text)}
        />
        <VariableEditor
          stepId={step.id}
          label={editorTexts.userPrompt}
          language="template"
          complete={complete}
          problem={problemOf('userPrompt') ?? problemOf('text')}
          value={user}
          onChange={(text) => set(userMember(step), text)}
        />
      </div>
      <KeptPanel
        name="prompt-test"
        title={editorTexts.previewAndTest}
        summary={editorTexts.aboutPreviewAndTest}
      >
        <PromptTest step={step} />
      </KeptPanel>
    </div>
  );
}
