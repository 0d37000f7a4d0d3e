// The embeddable routing engine: how to load it, and the configuration that it requires.
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { RoadsError } from './roads-error.ts';
import { TILE_SIZE } from './travel-times.ts';

export interface Valhalla {
  Actor: new (config: string) => { matrix(query: object): Promise<unknown> };
}

export async function loadValhalla(engineDir: string): Promise<Valhalla> {
  const module: unknown = await import(pathToFileURL(path.join(engineDir, 'index.mjs')).href);
  if (!hasActor(module))
    throw new RoadsError(`${engineDir} does not contain a routing engine that this version supports.`);
  return module;
}

function hasActor(module: unknown): module is Valhalla {
  return typeof module === 'object' && module !== null && 'Actor' in module && typeof module.Actor === 'function';
}

/** The program that turns an OpenStreetMap extract into tiles. */
export function tileBuilderOf(engineDir: string): string {
  return path.join(engineDir, process.platform, process.arch, 'valhalla_build_tiles');
}

const QUIET = { logging: { type: '' } };

/** Every setting that the engine reads; the package's own generator would need Python. */
export function describeRoads(tileDir: string): object {
  const mjolnir = { ...TILES, tile_dir: tileDir };
  return { mjolnir, loki: SEARCH, thor: ROUTING, odin: NARRATION, meili: MATCHING, service_limits: LIMITS };
}

const TILES = {
  ...QUIET,
  max_cache_size: 200_000_000,
  id_table_size: 1_300_000_000,
  hierarchy: true,
  shortcuts: true,
  include_driveways: true,
  data_processing: { use_admin_db: false },
};

/** A place farther than this from the nearest road counts as off the map: its rides would start somewhere else. */
const FARTHEST_ROAD_METERS = 500;

const SEARCH = {
  ...QUIET,
  actions: ['sources_to_targets'],
  use_connectivity: true,
  service: { proxy: '' },
  service_defaults: {
    radius: 0,
    minimum_reachability: 50,
    search_cutoff: FARTHEST_ROAD_METERS,
    node_snap_tolerance: 5,
    street_side_tolerance: 5,
    street_side_max_distance: 1_000,
    heading_tolerance: 60,
    mvt_min_zoom_road_class: [7, 7, 8, 11, 11, 12, 13, 14],
  },
};

const ROUTING = { ...QUIET, source_to_target_algorithm: 'select_optimal' };
const NARRATION = { ...QUIET, markup_formatter: { markup_enabled: false } };

// Track matching is not used, but without its settings the engine answers nothing.
const MATCHING = {
  ...QUIET,
  mode: 'auto',
  customizable: [],
  grid: { cache_size: 1, size: 500 },
  default: {
    beta: 3,
    breakage_distance: 2_000,
    geometry: false,
    gps_accuracy: 5,
    interpolation_distance: 10,
    max_route_distance_factor: 5,
    max_route_time_factor: 5,
    max_search_radius: 100,
    route: true,
    search_radius: 50,
    sigma_z: 4.07,
    turn_penalty_factor: 0,
  },
};

const REACH = {
  max_distance: 200_000,
  max_locations: 2 * TILE_SIZE,
  max_matrix_distance: 200_000,
  max_matrix_location_pairs: TILE_SIZE * TILE_SIZE,
};

const LIMITS = {
  pedestrian: { ...REACH, min_transit_walking_distance: 1, max_transit_walking_distance: 10_000 },
  bicycle: REACH,
  motor_scooter: REACH,
  auto: REACH,
  skadi: { max_shape: 1, min_resample: 10 },
  max_exclude_locations: 0,
  max_reachability: 100,
  max_radius: 200,
  max_timedep_distance: 0,
  max_alternates: 0,
  max_exclude_polygons_length: 0,
  trace: {
    max_distance: 1,
    max_gps_accuracy: 1,
    max_search_radius: 1,
    max_shape: 1,
    max_alternates: 0,
    max_alternates_shape: 1,
  },
  isochrone: { max_contours: 1, max_time_contour: 1, max_distance_contour: 1, max_locations: 1, max_distance: 1 },
  centroid: { max_distance: 1, max_locations: 1 },
  status: { allow_verbose: false },
};
