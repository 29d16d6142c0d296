import { schemas } from 'virtual:step-schemas';
import { editorTexts } from '../../../texts/flow-editor.ts';
import { Dialog } from '../../../ui/dialogs/dialog.tsx';
import { Button } from '../../../ui/forms/button.tsx';
import { initialValue } from '../../../ui/schema-form/fields.ts';
import { type JsonObject, type JsonSchema, resolved } from '../../../ui/values/schema.ts';
import { stepSchema } from '../steps/step-schemas.ts';
import { stepGroups, stepTypeLabel } from '../steps/step-types.ts';
import { newStepId, type Step } from '../steps/steps.ts';

interface Props {
  isOpen: boolean;
  onClose: () => void;
  onAdd: (step: Step) => void;
}

/** The choice of what the new step does. */
export const AddStep = ({ isOpen, onClose, onAdd }: Props) => (
  <Dialog title={editorTexts.addStep} isOpen={isOpen} onClose={onClose} width="wide">
    <div className="flows-types">
      {stepGroups.map(({ group, types }) => (
        <section key={group} aria-label={group}>
          <h3>{group}</h3>
          {Object.entries(types).map(([type, label]) => (
            <Button
              key={type}
              look="quiet"
              onPress={() => {
                onAdd(newStep(type));
                onClose();
              }}
            >
              {label}
            </Button>
          ))}
        </section>
      ))}
    </div>
  </Dialog>
);

const newStep = (type: string): Step => ({
  id: newStepId(),
  type,
  name: stepTypeLabel(type),
  config: { ...((initialValue(configSchemaOf(type), schemas) ?? {}) as JsonObject), ...beginnings[type] },
});

/** What makes a step run as soon as it says what to do, and the lists that it holds. */
const beginnings: Record<string, JsonObject> = {
  prompt: { model: 'default' },
  parallel: { branches: ['left', 'right'].map((name) => ({ name, steps: [] })) },
  map: { steps: [] },
  loop: { steps: [], maxIterations: 10 },
  reduce: { from: { recordType: '' }, fields: ['name'], chunk: { maxItems: 20 }, combine: 'tree', steps: [] },
};

function configSchemaOf(type: string): JsonSchema {
  const { default: _empty, ...schema } = resolved(stepSchema(type).properties?.config ?? {}, schemas);
  return schema;
}
