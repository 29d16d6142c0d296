import type { Template } from '../../templates/template.ts';
import { templates } from '../../templates/templates.ts';
import { useNeeds } from '../../templates/use-needs.ts';
import { TemplateCard } from './template-card.tsx';
import { useCreate } from './use-create.ts';
import '../../style/templates.css';

/** The templates, of which one click creates everything. */
export function Gallery({ opens, level = 2 }: { opens?: Template['opens'] | undefined; level?: 2 | 3 }) {
  const has = useNeeds();
  const { progress, failure, create } = useCreate();
  return (
    <div className="templates">
      {templates
        .filter((template) => !opens || template.opens === opens)
        .map((template) => (
          <TemplateCard
            key={template.id}
            template={template}
            level={level}
            missing={template.needs.filter((need) => has[need] === false)}
            progress={progress?.id === template.id ? progress : undefined}
            error={failure?.id === template.id ? failure.error : undefined}
            isIdle={progress !== undefined}
            onCreate={() => create(template)}
          />
        ))}
    </div>
  );
}
