// The container of every map: opens the map once, follows the theme's colors, and shows a fallback where the browser
// cannot draw maps. Its children draw the markers and lines.
import { useQuery } from '@tanstack/react-query';
import { NavigationControl, type Map as Maplibre } from 'maplibre-gl';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import type { Place } from '../../../src/domain/geo.ts';
import { mapStyleQuery } from '../api/planning/map.ts';
import { useSession } from '../api/people/session.ts';
import { mapTexts } from '../texts/planning/map.ts';
import { classes } from '../ui/class-names.ts';
import { MapRingLabels } from './ring-labels.tsx';
import { openMap, type Ground } from './open-map.ts';
import { repaintPlain, showRings, watchTheme } from './plain-style.ts';
import { Skeleton } from '../ui/content/skeleton.tsx';

export interface MapCanvasProps {
  label: string;
  /** Initial center. */
  near: Place | undefined;
  /** Center of the distance rings, shown when there is no street map. */
  ringsAround: Place | undefined;
  className: string;
  children: (map: Maplibre) => ReactNode;
  /** Shown instead where the browser cannot draw maps. */
  fallback: ReactNode;
}

interface Opened {
  map: Maplibre;
  ground: Ground;
}

export function MapCanvas({ label, near, ringsAround, className, children, fallback }: MapCanvasProps) {
  const frame = useRef<HTMLDivElement>(null);
  const start = useRef(near);
  const [opened, setOpened] = useState<Opened>();
  const [hasFailed, setHasFailed] = useState(false);
  const { data, isPending } = useQuery(mapStyleQuery);
  const styleUrl = data?.styleUrl ?? null;
  useEffect(() => {
    if (frame.current === null || isPending) return;
    const onReady = (map: Maplibre, ground: Ground): void => setOpened({ map, ground });
    const map = openMap(frame.current, { near: start.current, styleUrl, onReady });
    map?.addControl(new NavigationControl({ showCompass: false }), 'top-right');
    if (map === undefined) setHasFailed(true);
    return () => {
      setOpened(undefined);
      map?.remove();
    };
  }, [styleUrl, isPending]);
  if (hasFailed) return fallback;
  return (
    <div className={classes('@container relative overflow-hidden bg-sunken', className)}>
      {/* A stacking context of its own, so that pins never cover a menu. */}
      <div ref={frame} role="application" aria-label={label} className="isolate h-full" />
      {opened === undefined && <Skeleton className="absolute inset-0 rounded-none" />}
      {opened !== undefined && (
        <>
          {opened.ground !== 'streets' && <PlainGround map={opened.map} ringsAround={ringsAround} />}
          {children(opened.map)}
          <GroundNote ground={opened.ground} />
        </>
      )}
    </div>
  );
}

function PlainGround({ map, ringsAround }: { map: Maplibre; ringsAround: Place | undefined }) {
  useEffect(() => {
    repaintPlain(map);
    return watchTheme(() => repaintPlain(map));
  }, [map]);
  useEffect(() => showRings(map, ringsAround), [map, ringsAround]);
  return ringsAround === undefined ? null : <MapRingLabels map={map} around={ringsAround} />;
}

function GroundNote({ ground }: { ground: Ground }) {
  const { role } = useSession();
  if (ground === 'streets') return null;
  const plain = role === 'operator' ? mapTexts.plainOperator : mapTexts.plain;
  return (
    <p className="pointer-events-none absolute right-2 bottom-2 max-w-[min(24rem,calc(100%-6.5rem))] rounded-sm bg-surface/90 px-2 py-1 text-right text-2xs text-ink-soft">
      {ground === 'failed' ? mapTexts.styleFailed : plain}
    </p>
  );
}
