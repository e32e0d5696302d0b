import type { RecipeDescription, ServiceNode, ServiceParameters, TargetFacts } from '@pacecar/protocol';

/** What a worker is asked to run. */
export interface ServiceOrder {
  /** The name of the service in the scenario. */
  readonly service: string;
  readonly recipe: string;
  readonly parameters: ServiceParameters;
  readonly username: string | null;
  readonly password: string | null;
  /** This worker among those that run the service. */
  readonly share: { readonly index: number; readonly of: number };
  /** The address of this machine at which its servers listen and are reached. */
  readonly host: string;
}

/** A process that is to run on this worker. */
export interface NodeDraft {
  readonly role: string;
  /** Over all workers of the service. */
  readonly index: number;
  /** 0: a free one. */
  readonly port: number;
  /** Other ports that must be free too, as distances from the first. */
  readonly besides: readonly number[];
}

/** How a process is started, as data: no shell ever sees it. */
export interface Launch {
  /** Full path. */
  readonly program: string;
  readonly arguments: readonly string[];
  /** Files that it reads, written for this user only; names are relative to the directory of the process. */
  readonly files: readonly { readonly name: string; readonly text: string }[];
}

/** What a recipe may use of the worker while it gets ready. */
export interface Workshop {
  /** Empty, of this service on this worker alone; it goes with the service. */
  readonly directory: string;
  /** Full path of the first of these programs that is installed. Throws SERVICE_FAILED with the remedy. */
  program(names: readonly string[], remedy: string): string;
  /** Runs a program to its end. Throws SERVICE_FAILED with the last lines of its output. */
  run(program: string, args: readonly string[], what: string): Promise<void>;
  /** Gives up what takes long once the service is not wanted any more. */
  readonly signal: AbortSignal;
}

/** A file of a server's data. */
export interface DataFile {
  /** Relative to the directory of its process. */
  readonly name: string;
  readonly bytes: number;
}

/**
 * One service on one worker: its processes as data, and what is asked of them once they run. Questions that say what
 * is missing are asked again until nothing is, or until the deadline.
 */
export interface Blueprint {
  /** The processes of this worker; none, where there are more workers than processes. */
  readonly nodes: readonly NodeDraft[];
  /** How long a process may take to end in order once it is asked. */
  readonly leaveMs: number;
  /** Finds programs, fetches libraries, makes certificates. */
  provide(workshop: Workshop): Promise<void>;
  /** PEM, from `provide` on. */
  readonly certificateAuthority: string | null;
  /** `peers` are all processes of the service over all workers, by index. */
  launch(node: ServiceNode, peers: readonly ServiceNode[], directory: string): Launch;
  /** Null when the process may be started; else what must be there before it. Without it all start at once. */
  due?(node: ServiceNode, peers: readonly ServiceNode[]): Promise<string | null>;
  /** Null when the process answers by its protocol; else what is missing. */
  answers(node: ServiceNode): Promise<string | null>;
  /** The first worker joins processes that answer into one service, as far as that goes now; null when it is done. */
  form(peers: readonly ServiceNode[]): Promise<string | null>;
  /** Null when the process is part of the whole service, but for those of `away`; else what is missing. */
  formed(node: ServiceNode, peers: readonly ServiceNode[], away: ReadonlySet<number>): Promise<string | null>;
  /** Deletes all data that this process has. */
  clear(node: ServiceNode): Promise<void>;
  /** What the server says of itself. */
  facts(node: ServiceNode): Promise<TargetFacts>;
  /** Whether a file below the directory of a process holds its data. */
  isData(name: string): boolean;
}

/** How a product is run. Workers run recipes, not commands. */
export interface Recipe {
  readonly description: RecipeDescription;
  /** Throws PacecarError REQUEST_INVALID for parameters that are wrong. */
  open(order: ServiceOrder): Blueprint;
}
