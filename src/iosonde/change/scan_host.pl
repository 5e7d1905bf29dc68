# Runs on a host under test (Perl 5, its base alone); scan_host.py says the same in Python and
# tells what is printed and why.
use strict;
use warnings;
use Fcntl qw(:mode O_RDONLY);

my $SYS               = '/sys/class/block';
my $LOOP_GET_STATUS64 = 0x4C05;
my $KCMP_FILES        = 2;
my %KCMP = (
    x86_64 => 312, i686 => 349, aarch64 => 272, riscv64 => 272, loongarch64 => 272,
    armv7l => 378, ppc64le => 354, ppc64 => 354, s390x => 343,
);
my $TABLES = 8;
my $TRIES  = 50;
my ( %files, %mapped, %spaces, $kcmp );

sub say_line { print join( ' ', @_ ), "\n"; return }

sub content {
    my ($path) = @_;
    open my $file, '<', $path or return '';
    local $/ = undef;
    my $text = <$file>;
    close $file;
    return $text // '';
}

sub line_of { my $text = content(@_); chomp $text; return $text }

# Names in a directory; undef where it may not be read.
sub names {
    my ($path) = @_;
    opendir my $directory, $path or return $!{EACCES} || $!{EPERM} ? undef : [];
    my @names = grep { $_ ne q{.} && $_ ne q{..} } readdir $directory;
    closedir $directory;
    return \@names;
}

sub number {
    my ($device) = @_;
    my $major = ( ( $device >> 8 ) & 0xfff ) | ( ( $device >> 32 ) & ~0xfff );
    my $minor = ( $device & 0xff ) | ( ( $device >> 12 ) & 0xffffff00 );
    return "$major:$minor";
}

sub devices {
    my ($mine) = content('/proc/self/status') =~ /^CapEff:\s*(\S+)/m;
    say_line( 'view', ( map { readlink "/proc/self/ns/$_" or q{-} } qw(pid user) ), $mine // q{-} );
    for my $name ( @{ names($SYS) // [] } ) {
        my $at  = "$SYS/$name";
        my $own = line_of("$at/dev") or next;
        my $disk  = -e "$at/partition" ? line_of("$at/../dev") : q{-};
        my $start = ( line_of("$at/start") || 0 ) * 512;
        say_line( 'device', $name, $own, $disk, $start, ( line_of("$at/size") || 0 ) * 512 );
        for my $below ( @{ names("$at/slaves") // [] } ) {
            say_line( 'slave', $own, line_of("$at/slaves/$below/dev") || q{-} );
        }
        loop( $name, $own ) if -e "$at/loop/backing_file";
    }
    return;
}

sub loop {
    my ( $name, $own ) = @_;
    my $status = "\0" x 232;
    sysopen my $handle, "/dev/$name", O_RDONLY or return say_line( 'backing', $own, q{?} );
    return say_line( 'backing', $own, q{?} ) if number( ( stat $handle )[6] ) ne $own;
    ioctl $handle, $LOOP_GET_STATUS64, $status or return;    # it was detached just now
    my @backing = unpack 'Q5', $status;
    $files{"$backing[0]:$backing[1]"} = 1;
    return say_line( 'backing', $own, @backing );
}

sub process {
    my ($pid) = @_;
    my @tasks = @{ names("/proc/$pid/task") // [] };
    @tasks = ($pid) if !@tasks;
    table( $pid, $_ ) for @tasks > 1 ? tables(@tasks) : ($pid);
    mounts("/proc/$pid/task/$_") for @tasks;
    for my $task (@tasks) { last if maps( $pid, $task ) }
    return;
}

sub mounts {
    my ($at) = @_;
    my @root = stat "$at/root";
    my @links = map { readlink "$at/$_" } qw(root ns/mnt);
    my $space = @root && defined $links[0] && defined $links[1] ? "@root[0, 1] @links" : $at;
    return if $spaces{$space};
    my $told = content("$at/mountinfo");
    $spaces{$space} = 1 if $told ne '';
    say_line( 'mount', $at, $_ ) for split /\n/, $told;
    return;
}

sub tables {
    my @kinds;
    for my $task (@_) {
        my $last = $#kinds < $TABLES ? $#kinds : $TABLES - 1;
        push @kinds, $task if !grep { same( $kinds[$_], $task ) } 0 .. $last;
    }
    return @kinds;
}

sub same {
    my ( $first, $second ) = @_;
    $kcmp //= comparing();
    return 0 if !$kcmp;
    return syscall( $kcmp, $first + 0, $second + 0, $KCMP_FILES, 0, 0 ) == 0;
}

sub comparing {
    require POSIX;
    my $call = $KCMP{ ( POSIX::uname() )[4] } or return 0;
    return 0 if syscall( $call, $$, $$, $KCMP_FILES, 0, 0 ) != 0;
    my $other = syscall( $call, $$, getppid() + 0, $KCMP_FILES, 0, 0 );
    return $other == 1 || $other == 2 ? $call : 0;
}

sub table {
    my ( $pid, $task ) = @_;
    my $at      = "/proc/$pid/task/$task";
    my $entries = names("$at/fd");
    say_line( 'hidden', $pid ) if !$entries;
    for my $entry ( @{ $entries // [] } ) {
        my @status = stat "$at/fd/$entry";
        if ( !@status ) {
            next if !$!{EACCES} && !$!{EPERM};
            say_line( 'hidden', $pid );
            return;
        }
        node( $pid, \@status, 'open' );
        my $kind = S_IFMT( $status[2] );
        if ( $kind == S_IFSOCK ) {
            in_flight( $pid, $entry, content("$at/fdinfo/$entry") );
        }
        elsif ( !grep { $kind == $_ } S_IFREG, S_IFCHR, S_IFDIR, S_IFIFO ) {
            registered( $pid, $at, $entry );
        }
    }
    return;
}

sub node {
    my ( $pid, $status, $how ) = @_;
    if ( S_ISBLK( $status->[2] ) ) {
        say_line( $how, $pid, 'device', number( $status->[6] ) );
        return 1;
    }
    if ( $files{"$status->[0]:$status->[1]"} ) {
        say_line( $how, $pid, 'file', "$status->[0]:$status->[1]" );
        return 1;
    }
    return 0;
}

sub in_flight {
    my ( $pid, $entry, $told ) = @_;
    return if $told !~ /^scm_fds:\s*[1-9]/m;
    say_line( 'flight', $pid, $entry ) if ( ( stat "/proc/$pid" )[4] // 1 ) == 0;
    return;
}

# What is said of an io_uring: no files where another holds its lock (io_uring/fdinfo.c, trylock),
# as another reader does for a moment; older kernels then say how many there are, and list none.
sub ring {
    my ($path) = @_;
    my $told = '';
    for ( 1 .. $TRIES ) {
        $told = content($path);
        last if $told eq '' || $told =~ /^UserFiles:\s*(?:0$|.*\n )/m;
        select undef, undef, undef, 0.002;
    }
    return $told;
}

sub registered {
    my ( $pid, $at, $entry ) = @_;
    return if ( readlink("$at/fd/$entry") // '' ) ne 'anon_inode:[io_uring]';
    my $listed = 0;
    for my $line ( split /\n/, ring("$at/fdinfo/$entry") ) {
        if ( $line !~ /^ / ) { $listed = $line =~ /^UserFiles/; next }
        next if !$listed || $line !~ /: (.*)/;
        ( my $name = $1 ) =~ s/\\([0-7]{3})/chr oct $1/ge;
        my @status = stat "/proc/$pid/root$name";
        node( $pid, \@status, 'registered' ) if @status;
    }
    return;
}

sub maps {
    my ( $pid, $task ) = @_;
    my @lines = split /\n/, content("/proc/$task/maps");
    my %said;
    for my $line (@lines) {
        my ( $span, undef, undef, $device, $inode, $name ) = split ' ', $line, 6;
        next if !$inode || !defined $name;
        my $key = "$device $inode $name";
        next if $said{$key} || exists $mapped{$key};
        $said{$key} = 1;
        $span =~ s/(^|-)0+(?=[0-9a-f])/$1/g;
        my @status = stat "/proc/$task/map_files/$span";
        if (@status) {
            $mapped{$key} = 1 if !node( $pid, \@status, 'mapped' );
        }
        elsif ( $!{EACCES} || $!{EPERM} ) {
            say_line( 'hidden', $pid );
            last;
        }
    }
    return @lines > 0;
}

devices();
process($_) for grep { /^[0-9]+$/ && $_ != $$ } @{ names('/proc') // [] };
say_line('end');
