import process from "node:process";
import {
  type ContainerRuntimeClient,
  GenericContainer,
  getContainerRuntimeClient,
  StartupCheckStrategy,
  type StartupStatus,
} from "testcontainers";

// The reaper is an image of its own, and each pod removes its containers itself.
process.env["TESTCONTAINERS_RYUK_DISABLED"] = "true";

/** The user that every container of a pod runs as: nobody special. */
export const podUser = 65532;

type EngineContainer = ReturnType<ContainerRuntimeClient["container"]["getById"]>;

/** A container that runs as the "restricted" pod security profile demands, with a read-only root besides. */
export class RestrictedContainer extends GenericContainer {
  constructor(image: string) {
    super(image);
    this.hostConfig.ReadonlyRootfs = true;
    this.withUser(`${podUser}:${podUser}`)
      .withDroppedCapabilities("ALL")
      .withSecurityOpt("no-new-privileges")
      .withWaitStrategy(new StartedIsEnough());
  }

  /** Lets go of some of the restrictions, as a server's manifest asks for. */
  relaxed({ user, capabilities = [], hasWritableRoot = false }: Relaxation): this {
    this.hostConfig.ReadonlyRootfs = !hasWritableRoot;
    if (capabilities.length > 0) this.withAddedCapabilities(...capabilities);
    return user === undefined ? this : this.withUser(user);
  }

  /** Joins the network and the process namespace of another container, as containers of one pod do. */
  joining(holder: PodContainer): this {
    this.hostConfig.PidMode = `container:${holder.id}`;
    return this.withNetworkMode(`container:${holder.id}`);
  }

  /** Starts it and returns a handle that outlives stops and starts. */
  async launch(): Promise<PodContainer> {
    const started = await this.start();
    const client = await getContainerRuntimeClient();
    return new PodContainer(client.container.getById(started.getId()), (port) => ({
      host: started.getHost(),
      port: started.getMappedPort(port),
    }));
  }
}

/** What a container is allowed beyond the "restricted" profile. */
export interface Relaxation {
  /** As in `101:101`. */
  readonly user?: string | undefined;
  readonly capabilities?: readonly string[] | undefined;
  readonly hasWritableRoot?: boolean | undefined;
}

/** Tests wait for what they need themselves: a container that is not ready yet is part of several. */
class StartedIsEnough extends StartupCheckStrategy {
  override async checkStartupState(): Promise<StartupStatus> {
    return "SUCCESS";
  }
}

/** Where a published port is reached from the test. */
export interface Address {
  readonly host: string;
  readonly port: number;
}

/** One container of a pod. */
export class PodContainer {
  readonly #container: EngineContainer;
  readonly #addressOf: (port: number) => Address;

  constructor(container: EngineContainer, addressOf: (port: number) => Address) {
    this.#container = container;
    this.#addressOf = addressOf;
  }

  get id(): string {
    return this.#container.id;
  }

  /** Where a port that this container publishes is reached. */
  address(port: number): Address {
    return this.#addressOf(port);
  }

  /** SIGTERM, then SIGKILL after `graceSeconds`. The container stays and can be started again. */
  async stop(graceSeconds = 10): Promise<void> {
    await this.#container.stop({ t: graceSeconds });
  }

  async start(): Promise<void> {
    await this.#container.start();
  }

  /** Ends it by this signal at once; the container stays and can be started again. */
  async kill(signal: NodeJS.Signals): Promise<void> {
    await this.#container.kill({ signal });
  }

  /** Waits until its process ends, unless it has already, and returns the status. */
  async ended(): Promise<number> {
    const { StatusCode } = await this.#container.wait();
    return StatusCode;
  }

  /** The status that its process ended with; undefined while it runs. */
  async exitStatus(): Promise<number | undefined> {
    const { State } = await this.#container.inspect();
    return State.Running ? undefined : State.ExitCode;
  }

  /** Runs a command in it and returns the status and both outputs. */
  async exec(command: readonly string[]): Promise<{ readonly status: number; readonly output: string }> {
    const client = await getContainerRuntimeClient();
    const { exitCode, output } = await client.container.exec(this.#container, [...command]);
    return { status: exitCode, output };
  }

  /** The user and the health command that its image names. */
  async image(): Promise<{ readonly user: string; readonly health: readonly string[] }> {
    const { Image } = await this.#container.inspect();
    const client = await getContainerRuntimeClient();
    const { Config } = await client.container.dockerode.getImage(Image).inspect();
    return { user: Config.User, health: Config.Healthcheck?.Test ?? [] };
  }

  /** Everything it has written so far, over all its starts, both outputs together. */
  async logs(): Promise<string> {
    return joinFrames(await this.#container.logs({ stdout: true, stderr: true, follow: false }));
  }

  /** Ends and removes it, in whatever state it is. */
  async remove(): Promise<void> {
    await this.#container.remove({ force: true, v: true });
  }
}

/** Unpacks the engine's stream format: 8 bytes of header, the last 4 of them the length, then the payload. */
function joinFrames(stream: Buffer): string {
  const payloads: Buffer[] = [];
  for (let offset = 0; offset + 8 <= stream.length; ) {
    const end = offset + 8 + stream.readUInt32BE(offset + 4);
    payloads.push(stream.subarray(offset + 8, end));
    offset = end;
  }
  return Buffer.concat(payloads).toString("utf8");
}
