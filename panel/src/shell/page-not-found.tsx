import { Link } from '@tanstack/react-router';
import { MapPinOff } from 'lucide-react';
import { buttonClasses } from '../ui/button.tsx';
import { EmptyState } from '../ui/content/empty-state.tsx';
import { paths } from '../paths.ts';
import { errorTexts } from '../texts/errors.ts';

export function PageNotFound() {
  return (
    <main className="grid min-h-[70dvh] place-items-center">
      <EmptyState
        icon={<MapPinOff />}
        title={errorTexts.notFoundTitle}
        isHeading
        action={
          <Link {...paths.start()} className={buttonClasses('secondary')}>
            {errorTexts.toStart}
          </Link>
        }
      >
        {errorTexts.notFoundText}
      </EmptyState>
    </main>
  );
}
