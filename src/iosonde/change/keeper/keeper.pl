# perl -e THIS TOKEN: opens one thing once and runs commands on that very descriptor.
#
# on_host.py is the same in Python; __init__.py speaks with either and says what each request is.
# A request or an answer is a count of fields and then each field with its length, so that any bytes
# pass. The end of input means that nobody is there any more: what runs is killed, what was made is
# removed. A second process (the warden) does so when this one is killed. All that is begun here
# is known by TOKEN in its environment, which children inherit whatever session they move to; what
# has not called exec(2) yet has it on its command line.
use strict;
use warnings;
use Errno qw(EEXIST EINTR EAGAIN ELOOP ENOENT ENOTDIR EPERM);
use Fcntl qw(:DEFAULT :mode);
use POSIX ();

my ($TOKEN) = @ARGV;
my ($FILE, $FOLDER, $PARENT) = (100, 101, 102);    # descriptors that commands inherit
my $input = '';
my ($warden, $leash, %made) = (0);
my $ROOT_OWNER = (lstat '/')[4];
my $DISK_GROUP = getgrnam 'disk';    # its members may write to any disk anyway
$SIG{$_} = 'IGNORE' for qw(INT HUP PIPE QUIT);
$SIG{TERM} = sub { finish(143) };
$SIG{CHLD} = sub { };    # wakes select
umask 077;
$ENV{PATH} = ($ENV{PATH} || '/usr/bin:/bin') . ':/usr/local/sbin:/usr/sbin:/sbin';
$ENV{LC_ALL} = 'C';
$ENV{IOSONDE_TOKEN} = $TOKEN;

sub answer {
    my $text = @_ . "\n" . join '', map { length($_) . "\n" . $_ } @_;
    while (length $text) {
        my $sent = syswrite STDOUT, $text;
        if (!defined $sent) { next if $!{EINTR}; finish(0) }
        substr $text, 0, $sent, '';
    }
}

sub fill {    # false at the end of input
    my $got = sysread STDIN, $input, 65536, length $input;
    return defined $got ? $got : ($!{EINTR} ? 1 : 0);
}

sub request {    # the next whole request in what has come, or nothing
    my $at = 0;
    my $number = sub {
        my $end = index $input, "\n", $at;
        return if $end < 0;
        my $value = substr $input, $at, $end - $at;
        $at = $end + 1;
        return $value + 0;
    };
    my $count = $number->();
    return unless defined $count;
    my @fields;
    while (@fields < $count) {
        my $size = $number->();
        return if !defined $size || $at + $size > length $input;
        push @fields, substr $input, $at, $size;
        $at += $size;
    }
    substr $input, 0, $at, '';
    return @fields;
}

# Walking: the working directory is the handle, so that nothing can be swapped behind us.

sub stop { die { number => $_[0] + 0, where => $_[1], why => $_[2] || '' } }

sub trusted { return $_[0] == $> || $_[0] == 0 || $_[0] == $ROOT_OWNER }

sub closed {    # whether nobody but root and us decides what stands in a directory
    my ($mode, $uid, $gid) = @_;
    my $group = !($mode & S_IWGRP) || $gid == $) + 0 || defined $DISK_GROUP && $gid == $DISK_GROUP;
    return trusted($uid) && (!($mode & S_IWOTH) && $group || $mode & S_ISVTX);
}

sub walk {    # to the directory of PATH; the canonical directory, and the last name
    my ($path, $strict) = @_;
    my @left = grep { $_ ne '' && $_ ne '.' } split m{/}, $path;
    my (@done, $links);
    chdir '/' or stop($!, '/');
    while (1) {
        my @here = lstat '.' or stop($!, '/' . join '/', @done);
        my $closed = closed(@here[2, 4, 5]);
        stop(EPERM, '/' . join('/', @done), 'others') if $strict && !$closed;
        return ('/' . join('/', @done), '.') unless @left;
        my $name = shift @left;
        if ($name eq '..') { chdir '..' or stop($!, $path); pop @done; next }
        my $place = '/' . join '/', @done, $name;
        my @entry = lstat $name;
        return ('/' . join('/', @done), $name) if !@entry && !@left && $!{ENOENT};
        stop($!, $place) unless @entry;
        my $ours = $closed && (trusted($entry[4]) || !($here[2] & S_ISVTX));
        if (S_ISLNK($entry[2])) {
            stop(EPERM, $place, 'symlink') unless $ours;
            stop(ELOOP, $place) if ++$links > 40;
            my $to = readlink $name;
            stop($!, $place) unless defined $to;
            if ($to =~ m{^/}) { chdir '/' or stop($!, '/'); @done = () }
            unshift @left, grep { $_ ne '' && $_ ne '.' } split m{/}, $to;
            next;
        }
        if (!@left && !S_ISDIR($entry[2])) {
            stop(EPERM, $place, 'others') if $strict && !$ours;
            return ('/' . join('/', @done), $name);
        }
        stop(ENOTDIR, $place) unless S_ISDIR($entry[2]);
        chdir $name or stop($!, $place);
        my @now = lstat '.';
        stop(EPERM, $place, 'swapped') if "@now[0,1]" ne "@entry[0,1]";
        push @done, $name;
    }
}

sub settle {    # a descriptor under a fixed number, which commands inherit
    my ($handle, $number) = @_;
    defined POSIX::dup2(fileno $handle, $number) or stop($!, '');
}

sub open_here {
    my ($name, $flags, $place) = @_;
    sysopen my $handle, $name, $flags | O_NOFOLLOW | O_NONBLOCK, 0600 or stop($!, $place);
    return $handle;
}

sub described {    # path, device, inode, mode, links, rdev, size, and the name for commands
    my ($handle, $place, $name) = @_;
    my @facts = stat $handle or stop($!, $place);
    settle($handle, $FILE);
    return ($place, @facts[0, 1, 2, 3, 6, 7], $name || node($facts[6]) || "/proc/self/fd/$FILE");
}

# fio counts the disk's requests only for a name that lstat(2) calls a block device. So the device
# gets a node of our own; its number cannot come to mean another device while we have it open.
sub node {
    my ($number) = @_;
    my ($major, $minor) = (($number >> 8) & 0xfff, ($number & 0xff) | (($number >> 12) & 0xfff00));
    my $folder = '/dev/iosonde.' . random_letters();
    return unless $number && mkdir $folder, 0700;
    $made{node} = $folder;
    my $path = "$folder/target";
    my $made = !system 'mknod', '-m', '600', $path, 'b', $major, $minor;
    my @entry = lstat $path;
    my $opens = $made && @entry && $entry[6] == $number && sysopen my $handle, $path, O_RDONLY;
    return $path if $opens;
    remove_node();
    return;
}

sub remove_node {
    my $folder = delete $made{node};
    return unless defined $folder;
    unlink "$folder/target";
    rmdir $folder;
}

sub random_letters { return join '', map { ('a' .. 'z', 0 .. 9)[rand 36] } 1 .. 8 }

sub open_device {    # claimed exclusively; nobody else may choose what the path leads to
    my ($path) = @_;
    my ($folder, $name) = walk($path, 1);
    my $place = "$folder/$name";
    $place =~ s{^//}{/};
    my @entry = lstat $name or stop($!, $place);
    stop(EPERM, $place, 'kind') unless S_ISBLK($entry[2]);
    return described(open_here($name, O_RDONLY | O_EXCL, $place), $place);
}

sub open_read {    # a device or a file that is only read
    my ($path) = @_;
    my ($folder, $name) = walk($path, 0);
    my $place = "$folder/$name";
    $place =~ s{^//}{/};
    my @entry = lstat $name or stop($!, $place);
    stop(EPERM, $place, 'kind') unless S_ISBLK($entry[2]) || S_ISREG($entry[2]);
    my $handle = open_here($name, O_RDONLY, $place);
    return described($handle, $place) unless S_ISREG($entry[2]) && closed((lstat '.')[2, 4, 5]);
    settle(open_here('.', O_RDONLY | O_DIRECTORY, $folder), $FOLDER);
    return described($handle, $place, "/proc/self/fd/$FOLDER/$name");
}

sub make_file {
    my ($folder, $name, $private) = @_;
    my $place = $folder eq '/' ? "/$name" : "$folder/$name";
    my $here = open_here('.', O_RDONLY | O_DIRECTORY, $folder);
    settle($here, $FOLDER);
    my $file = open_here($name, O_RDWR | O_CREAT | O_EXCL, $place);
    my @facts = stat $file or stop($!, $place);
    %made = (%made, name => $name, identity => "@facts[0,1]", private => $private);
    return described($file, $place, "/proc/self/fd/$FOLDER/$name");
}

sub make_scratch {    # in a new directory that is ours alone, whoever owns the one around it
    my ($path) = @_;
    my ($folder, $last) = walk($path, 0);
    stop(ENOTDIR, $path) if $last ne '.';
    settle(open_here('.', O_RDONLY | O_DIRECTORY, $folder), $PARENT);
    my ($name, @entry);
    for my $try (1 .. 100) {
        $name = 'iosonde-scratch.' . random_letters();
        last if mkdir $name, 0700;
        stop($!, "$folder/$name") unless $!{EEXIST} && $try < 100;
    }
    my $place = $folder eq '/' ? "/$name" : "$folder/$name";
    my $new = open_here($name, O_RDONLY | O_DIRECTORY, $place);
    @entry = stat $new;
    stop(EPERM, $place, 'swapped') if $entry[4] != $> || ($entry[2] & 07777) != 0700;
    chdir $new or stop($!, $place);
    opendir my $listing, '.' or stop($!, $place);
    stop(EPERM, $place, 'swapped') if grep { $_ ne '.' && $_ ne '..' } readdir $listing;
    %made = (folder => $name, folder_identity => "@entry[0,1]");
    return make_file($place, 'data', 1);
}

sub make_named {    # under a name that the user chose; an earlier one of ours makes room
    my ($path, $earlier) = @_;
    my ($folder, $name) = walk($path, 1);
    if ($earlier ne '') {
        my @old = lstat $name or stop($!, $path);
        stop(EPERM, $path, 'swapped') if "@old[0,1]" ne $earlier || !S_ISREG($old[2]);
        unlink $name, ".$name.iosonde" or stop($!, $path);
    }
    return make_file($folder, $name, 0);
}

sub mark {    # the file beside it that says whose it is
    my ($text) = @_;
    my $name = "/proc/self/fd/$FOLDER/.$made{name}.iosonde";
    unlink $name;
    sysopen my $handle, $name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600 or stop($!, $name);
    defined syswrite $handle, $text or stop($!, $name);
    close $handle or stop($!, $name);
}

# Ending.

sub above {    # processes that began this one: sudo has the token among its arguments, too
    my @pids;
    my $pid = getppid();
    while ($pid > 1) {
        push @pids, $pid;
        open my $handle, '<', "/proc/$pid/stat" or last;
        local $/;
        my ($parent) = <$handle> =~ /.*\) \S ([0-9]+)/s or last;
        $pid = $parent;
    }
    return @pids;
}

sub kin {    # processes that were begun here, but for the keeper and its warden
    my @pids;
    my %spared = map { $_ => 1 } $$, $warden, above();
    opendir my $all, '/proc' or return;
    for my $pid (grep { /^[0-9]+$/ } readdir $all) {
        next if $spared{$pid};
        my $text = '';
        for my $file ("/proc/$pid/environ", "/proc/$pid/cmdline") {
            open my $handle, '<', $file or next;
            local $/;
            my $read = <$handle>;
            $text .= "\0$read\0" if defined $read;
        }
        push @pids, $pid if $text =~ /\0(?:IOSONDE_TOKEN=)?\Q$TOKEN\E\0/;
    }
    return @pids;
}

sub end_kin {    # until none is left, however long one hangs in the kernel: the claim stays
    my $pause = 0.02;
    while (my @pids = kin()) {
        kill 'KILL', @pids;
        1 while waitpid(-1, POSIX::WNOHANG()) > 0;
        select undef, undef, undef, $pause;
        $pause = 1 if ($pause *= 1.5) > 1;
    }
}

sub clean {
    remove_node();
    return unless defined $made{name} || defined $made{folder};
    my $inside = "/proc/self/fd/$FOLDER";
    if ($made{private} || !defined $made{name}) {
        if (defined $made{name} && opendir my $listing, $inside) {
            unlink map { "$inside/$_" } grep { $_ ne '.' && $_ ne '..' } readdir $listing;
        }
        my $folder = "/proc/self/fd/$PARENT/$made{folder}";
        my @entry = lstat $folder;
        rmdir $folder if @entry && "@entry[0,1]" eq $made{folder_identity};
    }
    else {
        my @entry = lstat "$inside/$made{name}";
        unlink "$inside/$made{name}" if @entry && "@entry[0,1]" eq $made{identity};
        unlink "$inside/.$made{name}.iosonde";
    }
}

sub let_go {    # as at the end, but for the end: nothing is open, begun or made any more
    end_kin();
    clean();
    if ($leash) {    # the warden is not needed any more, and its descriptor keeps the claim as well
        syswrite $leash, 'x';
        waitpid $warden, 0;
        close $leash;
    }
    POSIX::close($_) for $FILE, $FOLDER, $PARENT;
    chdir '/';
    ($warden, $leash, %made) = (0);
}

sub finish {
    my ($status) = @_;
    let_go();
    POSIX::_exit($status);
}

sub set_warden {    # does the same if this process is killed
    pipe my $end, $leash or stop($!, '');
    my $pid = fork;
    stop($!, '') unless defined $pid;
    if ($pid) { $warden = $pid; return }
    close $leash;
    $SIG{TERM} = 'IGNORE';
    POSIX::setsid();
    open STDIN,  '<', '/dev/null';
    open STDOUT, '>', '/dev/null';
    open STDERR, '>', '/dev/null';
    chdir '/';
    my $got;
    do { $got = sysread $end, my $said, 1 } while !defined $got && $!{EINTR};
    POSIX::_exit(0) if $got;
    end_kin();
    clean();
    POSIX::_exit(0);
}

# Running.

sub launched {
    my ($out, $err, @argv) = @_;
    my $pid = fork;
    stop($!, $argv[0]) unless defined $pid;
    return $pid if $pid;
    $SIG{$_} = 'DEFAULT' for qw(INT HUP PIPE QUIT TERM CHLD);
    umask 022;
    POSIX::setsid();
    open my $nothing, '<', '/dev/null';
    POSIX::dup2(fileno $nothing, 0);
    POSIX::dup2(fileno $out,     1);
    POSIX::dup2(fileno $err,     2);
    { no warnings; exec { $argv[0] } @argv; }
    my $why = $!{ENOENT} ? 127 : 126;
    syswrite STDERR, "$argv[0]: $!\n";
    POSIX::_exit($why);
}

sub run {
    pipe my $out,  my $out_end or stop($!, '');
    pipe my $err,  my $err_end or stop($!, '');
    my $child = launched($out_end, $err_end, @_);
    close $out_end;
    close $err_end;
    my %open = (fileno $out => ['out', $out], fileno $err => ['err', $err]);
    my ($status, $words) = (undef, 0);
    while (%open || !defined $status) {
        my $watched = '';
        vec($watched, $_, 1) = 1 for 0, keys %open;
        my $ready = select $watched, undef, undef, %open && !defined $status ? 1 : 0.05;
        if (!defined $status && waitpid($child, POSIX::WNOHANG()) == $child) {
            $status = $? & 127 ? -($? & 127) : $? >> 8;
        }
        # What a command leaves behind ends with it, after half a second for its last words.
        if (defined $status && %open && !$ready && ++$words > 10) { end_kin(); last }
        next if $ready <= 0;
        for my $number (keys %open) {
            next unless vec $watched, $number, 1;
            my ($name, $handle) = @{ $open{$number} };
            my $got = sysread $handle, my $part, 65536;
            if   ($got) { answer($name, $part) }
            else        { delete $open{$number} if defined $got || !$!{EINTR} }
        }
        next unless vec $watched, 0, 1;
        finish(0) unless fill();
        while (my ($verb, $name) = request()) {
            next if $verb ne 'signal';
            if   ($name eq 'KILL') { kill 'KILL', kin() }
            else                   { kill $name, -$child or kill $name, $child }
        }
    }
    answer('end', $status);
}

sub served {
    my ($verb, @fields) = @_;
    my %opens = (
        device => \&open_device, read => \&open_read,
        scratch => \&make_scratch, named => \&make_named,
    );
    if (my $open = $opens{$verb}) {
        my @facts = $open->(@fields);
        chdir '/';
        set_warden();
        answer('open', @facts);
    }
    elsif ($verb eq 'run')  { run(@fields) }
    elsif ($verb eq 'mark')   { mark(@fields); answer('done') }
    elsif ($verb eq 'let go') { let_go(); answer('done') }
    elsif ($verb eq 'here')   { answer('here') }
    # A signal for a command that has just ended comes too late, and is no mistake.
}

binmode $_ for *STDIN, *STDOUT, *STDERR;
POSIX::setsid();
answer('keeper', readlink('/proc/self') || $$);
while (1) {
    my @fields = request();
    if (!@fields) { fill() or finish(0); next }
    eval { served(@fields); 1 } or do {
        my $problem = $@;
        die $problem unless ref $problem;
        local $! = $problem->{number};
        answer('error', $problem->{number}, "$!", $problem->{where}, $problem->{why});
    };
}
