import { useState } from 'react';
import { DropZone, FileTrigger } from 'react-aria-components';
import { workspaceTexts } from '../../../texts/workspace.ts';
import { Button } from '../../../ui/forms/button.tsx';
import { CheckField } from '../../../ui/forms/check.tsx';
import { TextField } from '../../../ui/forms/field.tsx';
import type { Input } from './plan.ts';

interface Props {
  input: Input;
  onChange: (input: Input) => void;
  onPlan: () => void;
  isPending: boolean;
}

const bytesMax = 5_000_000;

/** A document from a file or the clipboard, and what to do with it. */
export function ImportForm({ input, onChange, onPlan, isPending }: Props) {
  const [problem, setProblem] = useState<string>();
  const { document, prune, publish } = input;

  async function read(file: File | undefined) {
    if (!file) return;
    const isTooLarge = file.size > bytesMax;
    setProblem(isTooLarge ? workspaceTexts.tooLarge : undefined);
    if (!isTooLarge) onChange({ ...input, document: await file.text() });
  }

  return (
    <section className="card workspace-import" aria-labelledby="import">
      <h2 id="import">{workspaceTexts.import}</h2>
      <DropZone
        className="workspace-drop"
        aria-label={workspaceTexts.dropDocument}
        onDrop={async ({ items }) => {
          const item = items.find((each) => each.kind === 'file');
          if (item?.kind === 'file') await read(await item.getFile());
        }}
      >
        <p>{workspaceTexts.dropOrChooseDocument}</p>
        <FileTrigger
          acceptedFileTypes={['.yaml', '.yml', '.json', 'application/json']}
          onSelect={(files) => read(files?.[0])}
        >
          <Button>{workspaceTexts.chooseFile}</Button>
        </FileTrigger>
      </DropZone>
      <TextField
        label={workspaceTexts.document}
        help={workspaceTexts.documentHelp}
        problem={problem}
        value={document}
        onChange={(text) => onChange({ ...input, document: text })}
        lines={8}
        spellCheck="false"
      />
      <fieldset className="workspace-options">
        <legend>{workspaceTexts.options}</legend>
        <CheckField
          label={workspaceTexts.publish}
          help={workspaceTexts.publishHelp}
          isOn={publish}
          onChange={(isOn) => onChange({ ...input, publish: isOn })}
        />
        <CheckField
          label={workspaceTexts.prune}
          help={workspaceTexts.pruneHelp}
          isOn={prune}
          onChange={(isOn) => onChange({ ...input, prune: isOn })}
        />
      </fieldset>
      <div className="actions">
        <Button look="primary" onPress={onPlan} isPending={isPending} isDisabled={document.trim() === ''}>
          {workspaceTexts.plan}
        </Button>
        <span className="help">{workspaceTexts.aboutPlan}</span>
      </div>
    </section>
  );
}
